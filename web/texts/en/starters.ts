export const starterTexts = {
  label: 'Design',
  dark: 'In dark mode',
  blank: 'Blank',
  code: 'HTML or MJML',
  own: 'Your template',
  codeLabel: 'HTML or MJML',
  codeHint:
    'MJML is turned into HTML. Merge tags such as {{firstName,fallback=friend}} are filled in when the email is sent.',
  upload: 'Choose a file',
  tooLarge: 'This file is larger than 2 MB.',
};
