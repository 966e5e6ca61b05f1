import type { Bench, SectionResult } from '../../section.ts';
import { measureAutomationLists } from './measure-automation-lists.ts';
import { measureDeliveries } from './measure-deliveries.ts';
import { measureIdleSchedules } from './measure-idle-schedules.ts';
import { measureStampede } from './measure-stampede.ts';
import { measureWebhooks } from './measure-webhooks.ts';

/**
 * Measures and prints webhooks of workflows, schedules that are due together and idle ones, the lists of both, and
 * messages to addresses outside.
 */
export async function measureAutomation(bench: Bench): Promise<SectionResult> {
  const targets = [
    ...(await measureIdleSchedules(bench)),
    ...(await measureAutomationLists(bench)),
    ...(await measureDeliveries(bench)),
    ...(await measureStampede(bench)),
    ...(await measureWebhooks(bench)),
  ];
  return { targets };
}
