import type { Command } from 'commander';
import type { Schemas } from '../../../sdk/src/index.ts';
import { Context, findNamed, type GlobalOptions } from '../context.ts';
import { columns } from '../output.ts';
import type { Environment } from '../environment.ts';
import { scheduleRun, showRun } from './run.ts';

type Schedule = Schemas['Schedule'];

/** Adds `schedules`. */
export function schedulesCommand(program: Command, environment: Environment): void {
  const schedules = program
    .command('schedules')
    .description('list schedules, activate and deactivate them, run one now');
  const contextOf = (command: Command) => new Context(environment, command.optsWithGlobals());
  schedules
    .command('list', { isDefault: true })
    .description('list the schedules')
    .action(async (_options: unknown, command: Command) => list(contextOf(command)));
  for (const [action, does] of [
    ['activate', 'let a schedule start runs'],
    ['deactivate', 'let a schedule start no more runs'],
  ] as const)
    schedules
      .command(action)
      .description(does)
      .argument('<schedule>', 'its name or id')
      .action(async (schedule: string, _options: unknown, command: Command) =>
        switchTo(contextOf(command), schedule, action),
      );
  // The API's word for it is the other one.
  schedules
    .command('run')
    .alias('trigger')
    .description('start a run of a schedule now')
    .argument('<schedule>', 'its name or id')
    .option('--follow', 'wait for its end, write its output, and fail unless it has completed')
    .action(async (schedule: string, _options: unknown, command: Command) => {
      const { follow } = command.optsWithGlobals<GlobalOptions & { readonly follow?: boolean }>();
      await runNow(contextOf(command), schedule, follow === true);
    });
}

async function list(context: Context): Promise<void> {
  const { client } = await context.connect();
  const schedules: Schedule[] = [];
  for await (const schedule of client.list('/api/schedules')) schedules.push(schedule);
  context.output.result(schedules, () =>
    columns([['NAME', 'WHEN', 'NEXT', 'LAST RUN', 'ID'], ...schedules.map(rowOf)]),
  );
}

function rowOf({ id, name, cron_expr: cron, interval_minutes: minutes, timezone, ...rest }: Schedule): string[] {
  const when = cron === null ? `every ${minutes} min` : `${cron} ${timezone}`;
  const next = rest.is_active ? (rest.next_run_at ?? rest.pause_reason ?? 'ended') : 'not active';
  return [name, when, next, rest.last_run?.status ?? '-', id];
}

async function switchTo(context: Context, wanted: string, action: 'activate' | 'deactivate'): Promise<void> {
  const { client } = await context.connect();
  const { id, name } = await findNamed('schedules', client.list('/api/schedules'), wanted);
  const schedule = await client.request('POST', `/api/schedules/{schedule_id}/${action}`, {
    path: { schedule_id: id },
  });
  const next = schedule.next_run_at === null ? '' : ` and runs next at ${schedule.next_run_at}`;
  context.output.result(schedule, () => (schedule.is_active ? `${name} is active${next}.` : `${name} is not active.`));
}

async function runNow(context: Context, wanted: string, isFollowed: boolean): Promise<void> {
  const { client } = await context.connect();
  const { id } = await findNamed('schedules', client.list('/api/schedules'), wanted);
  const { run_id: runId } = await client.request('POST', '/api/schedules/{schedule_id}/trigger', {
    path: { schedule_id: id },
  });
  await showRun(context, { id: runId, isFollowed }, scheduleRun(client, runId));
}
