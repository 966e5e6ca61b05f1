import { cancellationSignal } from '@temporalio/activity';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../db/core/database.ts';
import { UnreadableSecret } from '../../db/core/secret-box.ts';
import { noteDestinationTest } from '../../db/destinations/destinations.ts';
import { memberMay } from '../../db/permissions/member-may.ts';
import { type DestinationTarget, findDestinationTarget } from '../../db/webhooks/destination-targets.ts';
import { signingSecrets } from '../../db/webhooks/set-webhook.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { TestDestinationInput, TestDestinationResult } from '../../workflows/short/contract.ts';
import { KEY_LOST, NOT_TAKEN, postSigned, type Sent } from '../core/network/signed-post.ts';
import { NO_FILES } from './report.ts';
import { type ReportDeps, sendReport, sendWithin } from './send-report.ts';

/** The dependencies of tests of destinations. */
export interface TestDestinationDeps extends ReportDeps {
  readonly database: Database;
}

const LIMIT_MS = 35_000;

/**
 * Makes the activity that sends a test message to a destination, on behalf of a member, and stores its result. No
 * text of the service is recorded in the workflow's history.
 */
export function createTestDestination(deps: TestDestinationDeps) {
  const { database } = deps;
  return async function testDestination(input: TestDestinationInput): Promise<TestDestinationResult> {
    const { orgId, destinationId } = input;
    if (!(await memberMay(database, input, 'integrations.manage')))
      throw new AppError('forbidden', 'They may not test destinations any more');
    const target = await findDestinationTarget(database, { orgId, destinationId });
    if (target === undefined) throw notFound('Destination');
    const begin = performance.now();
    const { isTaken, error } = await sendWithin(LIMIT_MS, cancellationSignal(), async (signal) =>
      send(deps, target, signal),
    );
    const latencyMs = Math.round(performance.now() - begin);
    await noteDestinationTest(database, target, error);
    return { ok: isTaken, latencyMs };
  };
}

async function send(deps: TestDestinationDeps, target: DestinationTarget, signal: AbortSignal): Promise<Sent> {
  const { orgId, id, name, kind, config, integrationId } = target;
  const key = uuidv7();
  if (kind === 'webhook') {
    const secrets = secretsOf(deps, target);
    if (secrets === undefined) return { ...NOT_TAKEN, error: KEY_LOST };
    const created_at = new Date().toISOString();
    const body = JSON.stringify({ id: key, type: 'destination.test', created_at, destination: { id, name } });
    return postSigned(deps.http, { deliveryId: key, url: config.url ?? '', body, secrets }, signal);
  }
  const body = `This is a test message. Reports that are delivered to **${name.replaceAll(/[*_`[\]<>]/g, ' ')}** arrive here.`;
  const report = { key, subject: `Test of ${name}`, body, link: null, ...NO_FILES };
  return sendReport(deps, { orgId, kind, config, integrationId }, report, signal);
}

/** Returns the secrets that sign; undefined when the key that one was encrypted with is lost. */
function secretsOf({ box }: TestDestinationDeps, target: DestinationTarget): readonly string[] | undefined {
  try {
    return target.secrets.map((sealed) => signingSecrets.open(box, target, sealed));
  } catch (error) {
    if (error instanceof UnreadableSecret) return undefined;
    throw error;
  }
}
