import { expect, test } from '@jest/globals';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { fillChat } from '../support/console/filled-chat.ts';
import { openChat, shows } from '../support/console/opened-chat.ts';
import { waitUntil } from '../support/wait-until.ts';

const ANSWER = [
  'The roots of $ax^2 + bx + c = 0$ are real where \\(b^2 \\ge 4ac\\), and cost $5 or $6:',
  '$$\nx_{1,2} = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}\n$$',
  '\\[\n\\begin{pmatrix} 1 & 0 \\\\ 0 & \\vec{v} \\end{pmatrix} \\cdot \\int_0^\\infty e^{-x^2}\\,dx\n\\]',
  '```mermaid\nflowchart TD\n  A[Read the report] --> B{Is it complete?}\n  B -->|yes| C[Summarize]\n  B -->|no| D[Ask for more]\n  D --> A\n```',
  '```ts\nconst total = rows.reduce((sum, { amount }) => sum + amount, 0);\n```',
].join('\n\n');

describeConsoleAtWork('an answer', (served) => {
  test.each([
    ['wide', { width: 1_600, height: 1_300 }],
    ['phone', { width: 390, height: 1_300 }],
  ])('has its formulas set and its diagrams drawn on a %s page, in the light and the dark', async (form, size) => {
    const chat = await openChat(served);
    const { page } = chat;
    await fillChat(served.backend.api, chat, 1, ANSWER);
    await page.setViewportSize(size);
    await page.reload();
    await shows(page, 'The roots of');
    const log = page.getByRole('log');
    const diagram = log.getByRole('img', { name: 'Diagram' });
    await diagram.waitFor();
    await log.locator('math[display=block] mfrac').waitFor();
    expect(await log.locator('math').count()).toBe(4);
    expect(await log.getByText('and cost $5 or $6').count()).toBe(1);
    await page.evaluate("document.querySelector('[role=log] img').decode()");
    const light = await diagram.getAttribute('src');
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, `rich-answer-${form}`);
    await page.emulateMedia({ colorScheme: 'dark' });
    const isDrawnAnew = async () => ((await diagram.getAttribute('src')) === light ? undefined : true);
    await waitUntil('the diagram to be drawn in the colours of the dark', isDrawnAnew);
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, `rich-answer-${form}-dark`);
    await page.context().close();
  });
});
