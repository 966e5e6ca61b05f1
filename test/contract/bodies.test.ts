import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Route } from '../../api/http/define-route.ts';
import { readOnlyFields } from '../../api/input/read-input.ts';
import { routes } from '../../api/routes.ts';
import { registerUser, type TestUser } from '../support/factories.ts';
import { inLength } from '../support/in-length.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { BROKEN_WHOLES, brokenFields } from './broken-bodies.ts';
import { fingerprint } from './fingerprint.ts';
import { idSlotsOf, withIdAt } from './id-slots.ts';
import { lastingIds, MANY_ORGS, namedByBody } from './make-records.ts';
import { fill } from './path-ids.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { isOfOwnApi, routesThat, spread } from './route-list.ts';
import { fieldsOf, sampleBody } from './sample-body.ts';

const served = serveTestApi({ orgLimits: MANY_ORGS });
let user: TestUser;

const faultsSchema = z.strictObject({
  detail: z
    .array(
      z.strictObject({
        type: z.string().min(1),
        loc: z.array(z.union([z.string(), z.number()])).min(1),
        msg: z.string().min(1),
      }),
    )
    .min(1),
});
const problemSchema = z.strictObject({ detail: z.string().min(1) });

const ignored = readOnlyFields(routes);

/** Deeper than a function can call itself. */
const DEPTH = 20_000;
const NESTED = `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`;

const takesOwnFields = (route: Route) => route.body !== undefined && route.body.type !== 'record' && isOfOwnApi(route);

const references = routesThat(({ body }) => body !== undefined).flatMap(({ title, route }) =>
  idSlotsOf(route)
    .filter(({ part }) => part === 'body')
    .map((slot) => ({ title, route, slot, name: slot.name })),
);

const routesOfWholes = inLength(5, Infinity);

beforeAll(async () => {
  user = await registerUser(served.url);
});

// A webhook takes fields of every name (api/agent-workflows/workflow-webhook.test.ts), and so do the routes for
// clients of OpenAI, of MCP and of A2A (test/integration/chat-completions.test.ts, .../mcp-endpoint.test.ts,
// api/a2a-endpoint/a2a-endpoint.test.ts).
const all = routesThat(takesOwnFields);
const chosen = new Set(spread(all, routesOfWholes));
describe.each(all.map((each) => ({ ...each, isChosen: chosen.has(each) })))('$title', ({ route, isChosen }) => {
  const method = route.method.toUpperCase();
  const schema = route.body ?? z.never();

  /** What the route needs around its body: a path of the user's own records, and a body that names such records. */
  const prepare = async () => {
    const ids = await lastingIds(route, served.api, user);
    const known = await lastingIds(namedByBody(route), served.api, user);
    return {
      path: fill(route, ids),
      good: sampleBody(schema, known),
      before: await fingerprint(served.api.database),
    };
  };
  const expectUnchanged = async (before: string) => expect(await fingerprint(served.api.database)).toBe(before);
  const sendRaw = async (path: string, headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>) => {
    const authorization = `Bearer ${user.accessToken}`;
    const answer = await fetch(`${served.url}${path}`, { method, headers: { authorization, ...headers }, body });
    return { status: answer.status, json: await answer.json() };
  };

  test('answers 422 that names the field when one is broken, and changes nothing', async () => {
    const { path, good, before } = await prepare();
    const bodies = brokenFields(schema, good, route.response.schema && ignored.get(route.response.schema));
    for (const { fault, field, text } of bodies) {
      const answer = await user.client.send(method, path, text);
      expect([field, fault, answer.status]).toEqual([field, fault, 422]);
      const { detail } = faultsSchema.parse(answer.json);
      expect(detail.map(({ loc }) => loc.slice(0, 2))).toContainEqual(['body', field]);
    }
    expect(bodies.length).toBeGreaterThan(10);
    await expectUnchanged(before);
  });

  if (!isChosen) return;

  test('answers 422 when the body as a whole is broken, and changes nothing', async () => {
    const { path, before } = await prepare();
    for (const { fault, text } of BROKEN_WHOLES) {
      const answer = await user.client.send(method, path, text);
      expect([fault, answer.status]).toEqual([fault, 422]);
      faultsSchema.parse(answer.json);
    }
    expect((await user.client.send(method, path)).status).toBe(422);
    await expectUnchanged(before);
  });

  test('answers 422 when an object of the body nests too deep or sets its prototype, and changes nothing', async () => {
    const { path, good, before } = await prepare();
    for (const { name } of fieldsOf(schema)) {
      for (const value of [NESTED, `[${NESTED}]`, '{"__proto__":{"a":1}}', '[{"a":{"__proto__":1}}]']) {
        const body = `${JSON.stringify({ ...good, [name]: undefined }).slice(0, -1)},"${name}":${value}}`;
        const answer = await user.client.send(method, path, body.replace('{,', '{'));
        expect([name, value.slice(0, 20), answer.status]).toEqual([name, value.slice(0, 20), 422]);
      }
    }
    await expectUnchanged(before);
  });

  test('answers 415 when the body is of another type, charset or coding, and changes nothing', async () => {
    const { path, good, before } = await prepare();
    const headers: Record<string, string>[] = [
      { 'content-type': 'text/plain' },
      { 'content-type': 'text/json+plain' },
      { 'content-type': 'application/vnd.github+json; charset=latin1' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'multipart/form-data; boundary=x' },
      { 'content-type': 'application/json; charset=utf-16' },
      { 'content-type': 'application/json; charset=latin1' },
      { 'content-type': 'application/json', 'content-encoding': 'pack200' },
    ];
    for (const header of headers) {
      const answer = await sendRaw(path, header, JSON.stringify(good));
      expect([header, answer.status]).toEqual([header, 415]);
      problemSchema.parse(answer.json);
    }
    await expectUnchanged(before);
  });

  test('answers 413 when the body is larger than 1 MB, also once inflated, and changes nothing', async () => {
    const { path, good, before } = await prepare();
    const large = Buffer.from(JSON.stringify({ ...good, padding: 'x'.repeat(2_000_000) }));
    const json = { 'content-type': 'application/json' };
    const plain = await sendRaw(path, json, new Uint8Array(large));
    const packed = await sendRaw(path, { ...json, 'content-encoding': 'gzip' }, new Uint8Array(gzipSync(large)));
    for (const answer of [plain, packed]) {
      expect(answer.status).toBe(413);
      problemSchema.parse(answer.json);
    }
    await expectUnchanged(before);
  });

  test('answers 422 when the body is not UTF-8, and changes nothing', async () => {
    const { path, good, before } = await prepare();
    const text = JSON.stringify({ ...good, padding: 'X' });
    const bytes = new Uint8Array(Buffer.from(text));
    bytes[text.lastIndexOf('X')] = 0xff;
    const answer = await sendRaw(path, { 'content-type': 'application/json' }, bytes);
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ type: 'json_invalid', loc: ['body'] }] });
    await expectUnchanged(before);
  });
});

describe('an id in a body', () => {
  let stranger: TestUser;
  beforeAll(async () => {
    stranger = await registerUser(served.url);
  });

  test.each(references)(
    "gets the same 404 when it is unknown and when it is another organization's: $name of $title",
    async ({ route, slot }) => {
      // Of kinds of which there are no records yet, another record's.
      const idName = slot.recordName ?? 'agent_id';
      const theirs = await lastingIds({ path: `/{${idName}}` }, served.api, stranger);
      const ids = await lastingIds(route, served.api, user);
      const known = await lastingIds(namedByBody(route), served.api, user);
      const before = await fingerprint(served.api.database);
      const send = async (id: string) => {
        const body = withIdAt(sampleBody(route.body ?? z.never(), known), slot.name, id);
        return user.client.send(route.method.toUpperCase(), fill(route, ids), body);
      };
      const unknown = await send(UNKNOWN_ID);
      const foreign = await send(theirs[idName] ?? '');
      expect(unknown.status).toBe(404);
      expect([foreign.status, foreign.json]).toEqual([404, unknown.json]);
      expect(await fingerprint(served.api.database)).toBe(before);
    },
  );
});
