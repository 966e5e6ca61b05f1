import { v7 as uuidv7 } from 'uuid';
import type { Database } from './core/database.ts';
import { parseJsonTexts, purgeRows, type WithJsonTexts } from './records/records.ts';

/** The outcome of a test call of a tool. */
export interface TestRunOutcome {
  /** `unknown`: it may have taken effect. */
  readonly status: 'success' | 'error' | 'unknown';
  readonly result: string;
  /** Whether the result is the JSON of a value. */
  readonly isJson: boolean;
  readonly logs: readonly string[];
  readonly durationMs: number;
}

/** A try of a tool: whose it is, and the call. */
interface TestRun {
  readonly userId: string;
  readonly toolKey: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Nobody waits for the outcome of an older one. */
const MAX_AGE = '15 minutes';

/** Stores a call for a test run; returns its id. Its arguments and result are kept out of the engine. */
export async function createTestRun(
  { tenant }: Pick<Database, 'tenant'>,
  orgId: string,
  testRun: TestRun,
): Promise<string> {
  const id = uuidv7();
  await tenant.query(orgId, {
    name: 'create-tool-test-run',
    text: 'insert into tool_test_runs (id, org_id, user_id, tool_key, arguments) values ($1, $2, $3, $4, $5::json)',
    values: [id, orgId, testRun.userId, testRun.toolKey, JSON.stringify(testRun.arguments)],
  });
  return id;
}

/** Claims a call that nobody has begun yet, once; undefined when there is none. */
export async function beginTestRun(
  { tenant }: Pick<Database, 'tenant'>,
  orgId: string,
  id: string,
): Promise<TestRun | undefined> {
  const [testRun] = await tenant.query<WithJsonTexts<TestRun, 'arguments'>>(orgId, {
    name: 'begin-tool-test-run',
    text: `update tool_test_runs set begun_at = now() where id = $1 and begun_at is null
      returning user_id as "userId", tool_key as "toolKey", arguments::text as arguments`,
    values: [id],
  });
  return testRun && parseJsonTexts<TestRun, 'arguments'>(testRun, ['arguments']);
}

/** Stores what a call came to. */
export async function finishTestRun(
  { tenant }: Pick<Database, 'tenant'>,
  orgId: string,
  id: string,
  outcome: TestRunOutcome,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'finish-tool-test-run',
    text: 'update tool_test_runs set outcome = $2::jsonb where id = $1',
    values: [id, JSON.stringify(outcome)],
  });
}

/** Removes a call; returns what it came to, unless it has not ended. */
export async function takeTestRun(
  { tenant }: Pick<Database, 'tenant'>,
  orgId: string,
  id: string,
): Promise<TestRunOutcome | undefined> {
  const [testRun] = await tenant.query<{ readonly outcome: TestRunOutcome | null }>(orgId, {
    name: 'take-tool-test-run',
    text: 'delete from tool_test_runs where id = $1 returning outcome',
    values: [id],
  });
  return testRun?.outcome ?? undefined;
}

/** Removes the calls that nobody waits for any more. */
export async function purgeTestRuns(database: Database): Promise<void> {
  await purgeRows(database, 'tool_test_runs', `created_at < now() - interval '${MAX_AGE}'`);
}
