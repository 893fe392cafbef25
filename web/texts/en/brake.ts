export const brakeTexts = {
  title: 'Brake',
  on: 'The brake is on',
  warning: 'Close to the brake',
  onMeans: 'Campaigns are paused, and marketing emails of automations wait. Transactional email is sent.',
  warningMeans: 'Find out where these addresses come from, before the brake stops your campaigns.',
  since: 'Since',
  campaign: 'View the campaign',
  release: 'Release the brake',
  releaseTitle: 'Release the brake?',
  releaseText:
    'Marketing emails of automations go on right away. Campaigns stay paused until you resume them. Emails from before are not counted again.',
  reason: 'What did you find and change?',
  reasonHint: 'The audit log keeps it.',
  released: 'Brake released',
};
