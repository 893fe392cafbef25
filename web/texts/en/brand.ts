export const brandTexts = {
  title: 'Brand',
  lead: 'New emails begin with it. Existing emails do not change.',
  memberTitle: 'Only owners and admins can change the brand',
  memberText: 'Ask an owner or admin of your team.',
  logo: 'Logo',
  chooseLogo: 'Choose a logo',
  removeLogo: 'Remove',
  footerText: 'Footer text',
  footerHint: 'For example why people receive your email.',
};
