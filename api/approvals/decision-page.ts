import { escapeHtml } from '../../domain/core/text.ts';
import { showHidden } from '../../domain/core/visible.ts';
import { backgroundLines, outcomeText, shownLines, standingOf } from '../../domain/shown-approval.ts';
import { htmlPage } from '../pages.ts';
import type { LinkAnswer, Shown } from './decision-link.ts';

// The colours are those of the console, in the light and the dark.
const STYLE = `<meta name="robots" content="noindex"><style>:root{color-scheme:light dark;accent-color:light-dark(#0b6e5f,#4cc4ad)}
body{color:light-dark(#1c1d1f,#ececed);background:light-dark(#fbfbfa,#131416)}a{color:light-dark(#0b6e5f,#4cc4ad)}
main{max-width:40rem}h1{font-size:1.4rem}h2{font-size:1rem;margin:1rem 0 .25rem}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;max-height:30rem;overflow:auto;border-radius:.5rem;background:light-dark(#f0f0ed,#202226)}
label{display:block;margin:.75rem 0}label.option{padding:.6rem;border:1px solid light-dark(#e3e3df,#2c2e33);border-radius:.5rem}
textarea,input[type=text]{box-sizing:border-box;width:100%;margin-top:.25rem;font:inherit;padding:.5rem;border:1px solid light-dark(#92928a,#6d7079);border-radius:.5rem;background:light-dark(#fff,#1a1b1e);color:inherit}
button{font:inherit;min-height:2.75rem;padding:0 1.25rem;margin:.5rem .5rem 0 0;border:1px solid light-dark(#92928a,#6d7079);border-radius:.5rem;background:light-dark(#fff,#1a1b1e);color:inherit}
button.main{background:light-dark(#0b6e5f,#4cc4ad);border-color:transparent;color:light-dark(#fff,#08231e)}.problem{color:light-dark(#b3261e,#f0918a)}</style>`;

/** Renders the page of a link of a mail, before and after the decision. It needs no script. */
export function decisionPage(answer: LinkAnswer): string {
  if (answer.outcome === 'waits') return page(titleOf(answer), waitingBody(answer));
  if (answer.outcome === 'decided') return page(decidedTitleOf(answer), decidedBody(answer));
  if (answer.outcome === 'sign_in')
    return page(
      'Sign in to decide',
      `<p>Your organization wants you to sign in first.</p><p><a href="${escapeHtml(answer.address)}">Open the inbox</a></p>`,
    );
  const [title, body] = ENDED[answer.outcome];
  return page(title, body);
}

const ENDED = {
  unknown: [
    'This link is not valid',
    '<p>It may have been cut off by a mail program. Open your inbox in the console instead.</p>',
  ],
  expired: ['This link has expired', '<p>What it was about is no longer waited for.</p>'],
  forbidden: [
    'You cannot decide about this',
    '<p>You no longer have the right to, or it is gone. Your inbox in the console shows what waits for you.</p>',
  ],
} as const;

function page(title: string, body: string): string {
  return htmlPage({ title, head: STYLE, body: `<main><h1>${escapeHtml(title)}</h1>${body}</main>` });
}

function titleOf({ approval: { agentName, question } }: Shown): string {
  const agent = showHidden(agentName);
  return question === null ? `${agent} asks for your approval` : `${agent} asks you a question`;
}

// The title confirms a decision that was just made.
function decidedTitleOf({ approval: { status, decidedBy }, link }: Shown): string {
  if (status === 'pending') return 'You have approved it';
  return decidedBy === link.userId ? 'You have decided' : 'Already decided';
}

function waitingBody({ approval, recipient, background, token, problem }: Shown): string {
  const { label, question } = approval;
  // The options of a question are those of its form.
  const asked = question === null ? shownLines(approval) : shownLines(approval).slice(0, 1);
  const facts = [...asked, ...backgroundLines(background)].map(
    ({ label: name, value }) => `<h2>${escapeHtml(name)}</h2><pre>${escapeHtml(value)}</pre>`,
  );
  return `<p>${text(label)}</p>${problem === undefined ? '' : `<p class="problem" role="alert">${text(problem)}</p>`}${facts.join('')}
<p>You decide as ${text(recipient.name)} in ${text(recipient.orgName)}. ${standingOf(approval)}</p>
<form method="post" action="decide"><input type="hidden" name="token" value="${escapeHtml(token)}">
${question === null ? approvalFields() : questionFields(question)}</form>`;
}

const NOTE = '<label>Note (optional)<input type="text" name="note" maxlength="2000" autocomplete="off"></label>';

function approvalFields(): string {
  return `${NOTE}<button class="main" name="decision" value="approve">Approve</button>
<button name="decision" value="deny">Deny</button>`;
}

function questionFields({ options, defaultAnswer }: NonNullable<Shown['approval']['question']>): string {
  const answers =
    options === null
      ? '<label>Your answer<textarea name="answer" rows="4" maxlength="4000" required></textarea></label>'
      : options
          .map(
            (option) =>
              `<label class="option"><input type="radio" name="answer" value="${escapeHtml(option)}" required> ${text(option)}</label>`,
          )
          .join('');
  return `<p>Without an answer, the agent continues with “${text(defaultAnswer)}”.</p>${answers}${NOTE}
<button class="main" name="decision" value="approve">Answer</button>
<button name="decision" value="deny" formnovalidate>Decline to answer</button>`;
}

// Whoever finds the link later learns no arguments.
function decidedBody({ approval }: Shown): string {
  const { answer, note } = approval;
  return `<p>${escapeHtml(outcomeText(approval))}</p>${answer === null ? '' : `<h2>Answer</h2><pre>${text(answer)}</pre>`}
${note === null ? '' : `<h2>Note</h2><pre>${text(note)}</pre>`}<p>You can close this page.</p>`;
}

function text(value: string): string {
  return escapeHtml(showHidden(value));
}
