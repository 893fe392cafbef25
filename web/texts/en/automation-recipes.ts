export const automationRecipeTexts = {
  recipes: {
    blank: { name: 'Empty', note: 'Begin with nothing.' },
    welcome: { name: 'Welcome emails', note: 'A hello right away, and tips three days later.' },
    trial: { name: 'End of a trial', note: 'Reminds people before their trial ends, until they subscribe.' },
    abandoned: { name: 'Abandoned order', note: 'Reminds people of their cart, unless they order.' },
    winBack: { name: 'Win back', note: 'Writes to people who have not opened anything for long.' },
    review: { name: 'Ask for a review', note: 'A week after an order.' },
    birthday: { name: 'Birthday', note: 'Congratulates every year.' },
    feedback: { name: 'Feedback', note: 'Asks how it goes, and tells your team when someone replies.' },
    followUp: { name: 'Follow-up', note: 'Asks again twice, and stops when the person replies.' },
  },
  recipeEmails: {
    welcome: {
      subject: 'Welcome, {{firstName,fallback=friend}}',
      text: 'Hello {{firstName,fallback=friend}},\nGood to have you here. Reply to this email if you have a question.',
    },
    tips: {
      subject: 'Three tips for you',
      text: 'Hello {{firstName,fallback=friend}},\nHere is how others began:\n1. …\n2. …\n3. …',
    },
    trialEnds: {
      subject: 'Your trial ends in 3 days',
      text: 'Hello {{firstName,fallback=friend}},\nYour trial ends in three days. Choose a plan to keep everything.',
    },
    trialOver: {
      subject: 'Your trial ends today',
      text: 'Hello {{firstName,fallback=friend}},\nToday is the last day of your trial.',
    },
    cart: {
      subject: 'You left something behind',
      text: 'Hello {{firstName,fallback=friend}},\nYour cart is still here. Shall we keep it for you?',
    },
    cartAgain: {
      subject: 'Your cart is still here',
      text: 'Hello {{firstName,fallback=friend}},\nThis is the last reminder. Reply if something kept you from ordering.',
    },
    miss: {
      subject: 'Are you still interested?',
      text: 'Hello {{firstName,fallback=friend}},\nYou have not opened our emails for a while. Click here if you want to stay.',
    },
    review: {
      subject: 'How do you like it?',
      text: 'Hello {{firstName,fallback=friend}},\nYou have had your order for a week. Would you write a short review?',
    },
    birthday: {
      subject: 'Happy birthday, {{firstName,fallback=friend}}',
      text: 'Hello {{firstName,fallback=friend}},\nAll the best for the new year of your life!',
    },
    feedback: {
      subject: 'How is it going?',
      text: 'Hello {{firstName,fallback=friend}},\nYou have been with us for a while. What could we do better? Just reply to this email.',
    },
    ask: {
      subject: 'A quick question',
      text: 'Hello {{firstName,fallback=friend}},\nDo you have a minute this week?',
    },
    askAgain: {
      subject: 'Re: A quick question',
      text: 'Hello {{firstName,fallback=friend}},\nDid you see my question?',
    },
    askLast: {
      subject: 'Re: A quick question',
      text: 'Hello {{firstName,fallback=friend}},\nThis is my last try. Write whenever it suits you.',
    },
  },
  recipeNote: 'The contact has replied to the feedback email.',
  recipeLabel: 'Feedback',
};
