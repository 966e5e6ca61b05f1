import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { scriptedForms, type ScriptedForm } from '../../test/support/scripted-provider/index.ts';
import { toolsIssue } from '../../test/support/tools-issue.ts';
import { UGLY_SCHEMAS } from '../../test/support/ugly-schemas.ts';
import { ask, buildRequest, LIMITS, startWireServer, type WireServer } from '../../test/support/wire-servers/index.ts';
import { createAdapters } from './adapters.ts';

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer();
});
afterAll(() => server.close());

const tools = Object.entries(UGLY_SCHEMAS).map(([name, parameters]) => ({ name, description: '', parameters }));
const long = { name: 'long', description: 'x'.repeat(3_000), parameters: { type: 'object' } };

/** Asks a provider that refuses what the published API refuses, and that then plays this. */
async function say(streamType: string, script: Parameters<ScriptedForm['play']>[0], offered = [...tools, long]) {
  server.reject(({ body }) => toolsIssue(streamType, body));
  server.answer((scriptedForms[streamType] as ScriptedForm).play(script));
  const request = buildRequest(server.url, { providerType: streamType, model: 'm', tools: offered });
  const find = createAdapters(server.requestStream, LIMITS, { signIns: server.signIns });
  return ask(find({ streamType, account: request.account, model: 'm' }), request);
}

describe.each(Object.keys(scriptedForms))('%s', (streamType) => {
  test.each([...tools, long].map((tool) => [tool.name, tool] as const))('takes the schema %s', async (_name, tool) => {
    expect(await say(streamType, { text: 'fine', end: 'done' }, [tool])).toMatchObject({
      text: 'fine',
      failure: undefined,
    });
  });

  test('takes all of them at once', async () => {
    expect(await say(streamType, { text: 'fine', end: 'done' })).toMatchObject({ text: 'fine', failure: undefined });
  });

  test('sees no properties by names that it refuses, and its arguments have those of the tool', async () => {
    await say(streamType, { text: 'fine', end: 'done' });
    const [size = ''] = /p_gro_?[\w.-]*e_\w+/.exec(JSON.stringify(server.requests[0]?.body)) ?? [];
    const args = { [size]: 12_345_678_901, text: `"${size}":`, other: { [size]: 1 } };
    const { calls, failure } = await say(streamType, { call: { name: 'names', args }, end: 'done' });
    expect(failure).toBeUndefined();
    expect(JSON.parse(calls[0]?.argumentsText ?? '')).toEqual({
      größe: 12_345_678_901,
      text: `"${size}":`,
      other: { größe: 1 },
    });
  });
});
