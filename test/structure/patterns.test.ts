import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { listPatterns, patternsOf } from './list-patterns.ts';

const ROUTES = 'matched against the paths of our own routes';
const SETTING = 'matched against a setting of the operator';
const DOCUMENT = 'in a process for one document, which has a time limit';

/** Patterns that the analyser does not find linear, or does not know, and why they may stay: file, pattern, reason. */
const LISTED: readonly (readonly [string, string, string])[] = [
  [
    'activities/mcp-servers/sessions/bounded-body.ts',
    '^(data: ?)(.*)$',
    'begins at the begin of a line only, and ends at its end',
  ],
  [
    'domain/core/exact-json.ts',
    String.raw`(?:^|[:,[])\s*(?:-0(?![\d.])|-?(?:[\d.]{16}|\d+(?:\.\d+)?[eE]|0\.0{6}|\d+\.\d*0(?!\d)))`,
    'begins with a mark that is neither a blank nor a digit; zeros at the end are found within one run of digits',
  ],
  [
    'activities/core/texts/read-text.ts',
    String.raw`charset\s*=`,
    'a header, which has some kilobytes at most, with one start for each of the word',
  ],
  ['activities/core/texts/read-text.ts', String.raw`^\s*<\?xml\b`, 'matched against 4,096 characters at most'],
  ['activities/core/texts/read-text.ts', '<!--[^]*?', 'matched against 4,096 characters at most'],
  ['activities/tools/compute/data/convert-data.ts', String.raw`^@?[\p{L}_]`, 'each character belongs to one part only'],
  [
    'activities/tools/compute/data/convert-data.ts',
    String.raw`<!\[CDATA\[`,
    'in a compute process, which has a time limit',
  ],
  [
    'activities/tools/compute/data/convert-data.ts',
    String.raw`^\s*(?:<!DOCTYPE`,
    'begins at the begin of the text only, and each character belongs to one part only',
  ],
  ['activities/tools/compute/data/convert-data.ts', '&#(?:x(?<hex>', 'each run of digits is begun once'],
  [
    'activities/tools/compute/calculate-time.ts',
    String.raw`\b(?:(?:on|in|during)`,
    'in a compute process, on 100 characters at most',
  ],
  [
    'activities/destinations/pictures.ts',
    String.raw`\ssrc="`,
    'an address ends at the next quote, where another begins',
  ],
  [
    'activities/llm/failures/describe-failure.ts',
    'context.{0,20}(length|',
    'each start looks at 40 characters at most',
  ],
  ['activities/llm/demo.ts', '^remember:?(?: that)? (?<content>', 'two readings at most'],
  ['activities/llm/failures/describe-failure.ts', String.raw`(?<!\.)\.+$`, 'each run of dots is begun once'],
  [
    'activities/llm/transport/expect-answer.ts',
    String.raw`\/v\d+(?:(?:alpha|beta)`,
    'an address has 2,000 characters at most',
  ],
  ['activities/llm/transport/expect-answer.ts', String.raw`\/+$`, 'an address has 2,000 characters at most'],
  ['activities/llm/failures/provider-failure.ts', String.raw`bearer\s+\S+`, 'matched against 2,000 characters at most'],
  ['activities/llm/failures/provider-failure.ts', String.raw`\b(?:sk|pk|`, 'matched against 2,000 characters at most'],
  [
    'activities/tools/compute/calculate-time.ts',
    String.raw`([+-]?\d{1,9}`,
    'in a compute process, on 100 characters at most',
  ],
  [
    'activities/tools/compute/calculate-time.ts',
    'new RegExp',
    'of constants; in a compute process, on 100 characters at most',
  ],
  ['activities/core/documents/workbook.ts', 'general|', DOCUMENT],
  ['activities/core/documents/workbook.ts', String.raw`\[(?:h+|`, DOCUMENT],
  ['activities/core/documents/workbook.ts', String.raw`\/worksheets\/`, DOCUMENT],
  ['activities/core/documents/workbook.ts', String.raw`<(?:\w+:)?c`, DOCUMENT],
  ['activities/core/documents/workbook.ts', String.raw`\st=`, DOCUMENT],
  ['activities/core/documents/workbook.ts', String.raw`(<(?:\w+:)?c\s`, DOCUMENT],
  ['activities/core/documents/workbook.ts', String.raw`<(?:\w+:)?hyperlink`, DOCUMENT],
  ['activities/core/documents/workbook.ts', String.raw`<(?:\w+:)?sheetData`, DOCUMENT],
  ['activities/core/documents/workbook.ts', String.raw`<\/(?:\w+:)?sheetData`, DOCUMENT],
  [
    'domain/issues.ts',
    String.raw`\[The issue stands`,
    'in a browser, on one message; each start has 40 fixed characters',
  ],
  [
    'activities/tools/compute/calculate-time.ts',
    String.raw`\b\d{4}(?<sign>`,
    'each start looks at 10 characters at most',
  ],
  ['activities/tools/compute/data/convert-data.ts', String.raw`\s*:`, 'begins at one place, after each string once'],
  ['activities/llm/cli/installed-clis.ts', String.raw`\b(\d{1,9})`, 'each start looks at 20 characters at most'],
  ['domain/inbound-mail.ts', String.raw`\sheader\.from`, 'no two starts look at the same text'],
  [
    'domain/network/mail-address.ts',
    String.raw`^"?(?<name>`,
    'begins at one place, and looks at 600 characters at most',
  ],
  ['domain/decision-tokens.ts', 'et_decide_', 'each start that fails looks at 100 characters at most'],
  ['domain/secrets.ts', '(?<start>[?&](?<name>', 'each start looks at 100 characters at most'],
  ['domain/secrets.ts', String.raw`(?<scheme>\b[a-z]`, 'of 21 starts, the text up to the next slash'],
  ['domain/secrets.ts', String.raw`\b(?<scheme>bearer|basic)`, 'no two starts look at the same text'],
  ['api/app.ts', 'new RegExp', `${ROUTES}, each part of a path is read once`],
  ['api/app.ts', String.raw`\{\w+\}`, ROUTES],
  ['definition-files/parameters-issue.ts', 'new RegExp', 'made to see whether it is one, and matched against nothing'],
  ['api/http/mount-route.ts', String.raw`\{(\w+)\}`, ROUTES],
  ['api/auditing/request-audit.ts', String.raw`\{(\w+)\}`, ROUTES],
  ['domain/agent-workflows.ts', String.raw`\{\{[ \t]{0,9}`, 'each start looks at 220 characters at most'],
  ['domain/settings/public-url.ts', String.raw`\/+$`, SETTING],
  ['domain/search.ts', '"(?<quoted>', 'a query has 500 characters at most'],
  ['domain/settings/settings.ts', String.raw`^(?:[\w.-]+|(?=`, SETTING],
  ['domain/settings/settings.ts', String.raw`^[^\s/]+:(?<port>`, SETTING],
  ['domain/tools/request-template.ts', String.raw`\{\{[ \t]{0,9}`, 'each start looks at 230 characters at most'],
  ['domain/tool-calls/fence-line.ts', '^ {0,3}(?:(`{3,})([^`]*)|', 'the first run of marks leaves one way to go on'],
  ['domain/tool-calls/fence-line.ts', '^ {0,3}(?:`{3,}|~{3,})(.*)$', 'what follows the marks always matches'],
  ['domain/tool-calls/read-call.ts', String.raw`"name"\s*:`, 'no two starts look at the same text'],
  [
    'domain/tool-offer/wire/write-schema.ts',
    'new RegExp',
    'made to see whether it is one, and matched against nothing',
  ],
  ['domain/tool-offer/wire/write-schema.ts', String.raw`(?<!\\)"(p_`, 'no two starts look at the same text'],
];

function isListed(file: string, pattern: string): boolean {
  return LISTED.some(([listed, start]) => listed === file && pattern.startsWith(start));
}

describe('regular expressions', () => {
  const found = listPatterns(fileURLToPath(new URL('../../', import.meta.url)), isListed);

  test('take linear time whatever they are matched against, or are listed with a reason', () => {
    expect(found.length).toBeGreaterThan(100);
    const unlisted = found.filter(({ file, pattern, isLinear }) => !isLinear && !isListed(file, pattern));
    expect(unlisted).toEqual([]);
  });

  test('are not listed for longer than they are there', () => {
    const stale = LISTED.filter(
      ([listed, start]) =>
        !found.some(({ file, pattern, isLinear }) => !isLinear && file === listed && pattern.startsWith(start)),
    );
    expect(stale).toEqual([]);
  });

  test.each([
    [String.raw`/^(a+)+$/`],
    [String.raw`/^(?:\s*a\s*)+$/`],
    [String.raw`/^delegate to (?<agent>[^:]+?)\s*:\s*(?<task>\S.*)$/i`],
    [String.raw`/^[A-Za-z0-9+/\s]*={0,2}\s*$/`],
    [String.raw`/\s+$/`],
    [String.raw`/"(?:[^"\\]|\\.)*"/g`],
    [String.raw`new RegExp(text)`],
    [String.raw`RegExp(text, 'g')`],
  ])('are found and refused: %s', (source) => {
    expect(patternsOf(`export const sample = [1, () => ({ a: ${source} })];`)).toMatchObject([{ isLinear: false }]);
  });

  test.each([[String.raw`/^[a-z]+$/`], [String.raw`/\s+/g`], [String.raw`/^(?<name>\w+):(?<rest>.+)$/`]])(
    'are found and let through: %s',
    (source) => {
      expect(patternsOf(`const sample = ${source};`)).toMatchObject([{ isLinear: true }]);
    },
  );
});
