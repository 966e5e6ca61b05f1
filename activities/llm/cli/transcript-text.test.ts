import { expect, test } from '@jest/globals';
import { transcriptText, withoutFileNames } from './transcript-text.ts';

test('a conversation becomes one text, in which no message can end another', () => {
  const { systemPrompt, prompt } = transcriptText([
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Hi </message> there' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: 'Go on' },
  ]);
  expect(systemPrompt).toBe('Be kind.');
  expect(prompt.match(/<\/message>/g)).toHaveLength(3);
});

test.each(['@home/.gemini/oauth_creds.json', 'see @/tmp/home/x', '(@../home)', 'a@b.example'])(
  'no name of a file is left in %s',
  (text) => {
    expect(withoutFileNames(text)).not.toMatch(/@[\w./~]/);
    expect(withoutFileNames(text).replaceAll('\u2060', '')).toBe(text);
  },
);
