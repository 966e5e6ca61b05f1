import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { parseExactJson } from '../../../../domain/core/exact-json.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { ToolArguments } from '../../tool.ts';
import { jsonQuery } from './json-query.ts';

let tools: TestTools;
beforeEach(async () => {
  tools = await createTestTools();
});
afterEach(() => tools.close());

const query = async (args: string) =>
  (await prepareCall(jsonQuery, parseExactJson(args) as ToolArguments).run({ ...tools.context, idempotencyKey: 'a' }))
    .value;

test.each([
  ['a whole number with more digits than JavaScript keeps is a text', '12345678901234567890', '12345678901234567890'],
  ['others stay numbers', '9007199254740991', '9007199254740991'],
  ['others stay numbers, however they are written', '1.50', '1.5'],
])('in data that is given, %s', async (_what, id, value) => {
  expect(await query(`{"data":{"id":${id}},"expression":"id"}`)).toBe(value);
  const isText = id.length > 16;
  expect(await query(`{"data":{"id":${id}},"expression":"$type(id)"}`)).toBe(isText ? 'string' : 'number');
});
