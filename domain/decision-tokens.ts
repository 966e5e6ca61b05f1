/** The prefix of tokens by which people decide without a sign-in: in links of mails, and in buttons of Slack. */
export const DECISION_TOKEN = 'et_decide_';

const TOKENS = /et_decide_[\w-]{100,}/g;
const HIDDEN = '[hidden: people decide by it]';

/** Hides the tokens in a text that an agent reads, such as a mail to its user: it must not decide in their name. */
export function hideDecisionTokens(text: string): string {
  return text.replaceAll(TOKENS, HIDDEN);
}
