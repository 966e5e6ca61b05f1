import { readFileSync } from 'node:fs';
import type { Database } from '../db/core/database.ts';
import { connectDatabase } from '../db/orm/connect.ts';
import { apiSettings, settingsOf, workerSettings } from '../domain/settings/settings.ts';
import { temporalConnection } from '../domain/settings/temporal-connection.ts';
import { checksOf } from './doctor/checks.ts';
import { formatFindings, runChecks } from './doctor/run-checks.ts';
import { readArguments, runProgram } from './program.ts';

// node operator/doctor.ts [--json] [--api <address>]: checks an installation, and says what to do (docs/backup.md).
// Ends with 1 when a check has failed.

await runProgram(async () => {
  const { values } = readArguments('node operator/doctor.ts [--json] [--api <address>]', {
    options: { json: { type: 'boolean' }, api: { type: 'string' } },
  });
  const env = settingsOf(apiSettings.extend(workerSettings.shape), process, readFileSync);
  let database: Promise<Database> | undefined;
  const connect = () => (database ??= connectDatabase({ url: env.DATABASE_URL, poolSize: 1 }));
  const findings = await runChecks(
    checksOf({
      connect,
      keys: env.SECRET_KEY,
      temporal: { address: env.TEMPORAL_ADDRESS, ...temporalConnection(env, readFileSync) },
      namespace: env.TEMPORAL_NAMESPACE,
      apiUrl: (values.api ?? env.PUBLIC_URL ?? `http://127.0.0.1:${env.PORT}`).replace(/\/$/, ''),
      folder: env.EVERTURN_HOME,
      workspaces: env.WORKSPACES,
    }),
  );
  process.stdout.write(`${values.json === true ? JSON.stringify(findings) : formatFindings(findings)}\n`);
  if (findings.some(({ status }) => status === 'failed')) process.exitCode = 1;
  await database?.then(async (connected) => connected.close()).catch(() => undefined);
});
