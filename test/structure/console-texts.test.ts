import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { listTexts, textsOf } from './list-texts.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('components of the console contain no words themselves: text.ts has them, in each language', () => {
  expect(listTexts(root)).toEqual([]);
});

test.each([
  ['between tags', '<p>Two words</p>', ['Two words']],
  ['between other things', '<p>{name} is gone</p>', ['is gone']],
  ['in an expression', "<p>{isOn ? 'On' : text.off}</p>", ['On']],
  ['behind a condition', "<p>{isOn && 'On'}</p>", ['On']],
  ['in a fragment', "<>{'On'}</>", ['On']],
  ['with values', '<p>{`${n} tools`}</p>', [' tools']],
  ['that are read out', '<nav aria-label="Main" />', ['Main']],
  ['in a part of a page', "<Field label={'Name'} hint={isLong ? `at most ${n}` : undefined} />", ['Name', 'at most ']],
  ['of a column', "<Table columns={[{ key: 'a', title: 'Name' }]} />", ['Name']],
])('words %s are found', (_where, source, words) => {
  expect(textsOf(source).map((text) => text.trimEnd())).toEqual(words.map((text) => text.trimEnd()));
});

test.each([
  ['what the language says', '<p title={text.title}>{text.count(n)}</p>'],
  ['signs', '<p>{a} · {b} ({`${n} %`})</p>'],
  ['names of fields and classes', "<Field name={`steps.${at}`} className='row' type={isOpen ? 'text' : 'number'} />"],
  ['what is compared', "<p>{kind === 'day' && text.day}</p>"],
  ['the beginning of an address', '<input placeholder="https://" />'],
])('%s is none of them', (_what, source) => {
  expect(textsOf(source)).toEqual([]);
});
