import { Connection } from '@temporalio/client';
import pg from 'pg';

import type { TemporalConnection } from '../../domain/settings/index.ts';
import { errorCode } from './error-code.ts';
import { StartFailure } from './start-failure.ts';
import { pause } from './wait.ts';

const limitMs = 10_000;

/** Resolves when the PostgreSQL of a given DATABASE_URL answers; otherwise one sentence, which never holds the password. */
export async function requireDatabase(url: string, signal?: AbortSignal): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  const reason = await firstSuccess(async () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('select 1');
    } finally {
      await client.end().catch(() => {});
    }
  }, signal);
  if (reason === undefined) return;
  throw new StartFailure(
    `DATABASE_URL: the PostgreSQL at ${hostname}:${port || '5432'}, database ${pathname.slice(1) || '(none)'}, cannot be used (${withoutSecrets(reason, url)}).`,
  );
}

/** Resolves when the Temporal server of a given TEMPORAL_ADDRESS answers and has the namespace; otherwise one sentence. */
export async function requireTemporal(
  address: string,
  namespace: string,
  options: { readonly connection: TemporalConnection; readonly signal?: AbortSignal },
): Promise<void> {
  const reason = await firstSuccess(async () => {
    const connection = await Connection.connect({ address, ...options.connection, connectTimeout: 3000 });
    try {
      await connection.workflowService.describeNamespace({ namespace });
    } finally {
      await connection.close();
    }
  }, options.signal);
  if (reason === undefined) return;
  if (/namespace .*not found/i.test(reason)) {
    throw new StartFailure(`TEMPORAL_NAMESPACE: the Temporal server at ${address} has no namespace ${namespace}.`);
  }
  throw new StartFailure(`TEMPORAL_ADDRESS: no Temporal server answers at ${address} (${reason}).`);
}

/** Tries for some seconds, because what is started together comes up in any order. Resolves to the last reason for failing. */
async function firstSuccess(
  attempt: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const end = Date.now() + limitMs;
  for (;;) {
    try {
      await attempt();
      return undefined;
    } catch (error) {
      const reason = reasonOf(error);
      // A server that says no has answered: neither a wrong password nor a missing database or namespace mends itself.
      const isFinal = ['28P01', '28000', '3D000', 5].includes(errorCode(error) ?? '');
      if (isFinal || Date.now() >= end || signal?.aborted) return reason;
    }
    await pause(250, signal);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join(', ');
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') || error.name : String(error);
}

function withoutSecrets(text: string, url: string): string {
  const { password } = new URL(url);
  return [password, decodeURIComponent(password)]
    .filter(Boolean)
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}
