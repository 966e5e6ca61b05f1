import { expect, test } from '@jest/globals';
import { turnsOf } from '../connection/merge-messages.ts';
import { messageAt } from '../../../test/support/console/sample-message.ts';
import { chatAsMarkdown, fileNameOf } from './chat-as-markdown.ts';

test('a chat becomes a file with a heading for each message', () => {
  const turns = turnsOf([
    messageAt(0, { content: 'Compare **these**', user_name: 'Ada' }),
    messageAt(1, { content: 'They differ.\n', excluded: true, agent_name: 'Analyst' }),
    messageAt(2, { content: 'Why?' }),
  ]);
  const words = { title: 'Weekly\nreport', you: 'You', agent: 'Agent', leftOut: 'left out' };
  expect(chatAsMarkdown(turns, words)).toBe(
    [
      '# Weekly report',
      '## Ada (2026-01-01 00:00 UTC)',
      'Compare **these**',
      '## Analyst (2026-01-01 00:00 UTC), left out',
      'They differ.',
      '## You (2026-01-01 00:00 UTC)',
      'Why?\n',
    ].join('\n\n'),
  );
});

test.each([
  ['Weekly report', 'Weekly report.md'],
  ['../../etc: "a/b"', 'etc a b.md'],
  ['???', 'chat.md'],
  ['Übersicht 2026', 'Übersicht 2026.md'],
])('the name of its file is one that all systems take: %j', (title, name) => {
  expect(fileNameOf(title)).toBe(name);
});
