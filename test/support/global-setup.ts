import { findTemporal } from '../../scripts/stack/temporal/find-temporal.ts';
import { findTestChromium } from './find-test-chromium.ts';
import { findTestBwrap } from './find-test-bwrap.ts';
import { servePostgres } from './run/serve-postgres.ts';
import { publishSharedServices } from './shared-services.ts';

/** Finds what all test files share, and starts it when the first of them asks. */
export default async function setUp(): Promise<void> {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const { path: temporalBinary } = await findTemporal({ say });
  publishSharedServices({
    postgresAt: await servePostgres(),
    temporalBinary,
    bwrap: await findTestBwrap(),
    chromium: await findTestChromium(),
  });
}
