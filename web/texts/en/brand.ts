export const brandTexts = {
  title: 'Brand',
  lead: 'Your logo, colours, font and footer. New emails start with them; existing emails do not change.',
  memberTitle: 'Only owners and admins can change the brand',
  memberText: 'Ask an owner or admin of your team.',
  logo: 'Logo',
  chooseLogo: 'Choose a logo',
  removeLogo: 'Remove',
  footerText: 'Footer text',
  footerHint: 'For example, why people receive your emails.',
};
