import type { Database } from '../../db/core/database.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { connectDatabase } from '../../db/orm/connect.ts';
import { createSchedule } from '../../db/schedules/schedules.ts';
import { fireSchedule } from '../../db/schedules/firing/fire-schedule.ts';
import type { Schedule } from '../../db/schedules/schedule.entity.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { nextSlot, slotsBetween } from '../../domain/schedules/timing.ts';
import { insertAgent, insertOrg, insertUser } from './rows.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

/** Schedules in a database of their own, and a worker that is told what time it is. */
export class SteppedSchedules {
  readonly #testDatabase: TestDatabase;
  readonly #limits = parseOrgLimits('');
  #owner = { orgId: '', userId: '' };
  #agentId = '';
  /** The worker that runs now. */
  database: Database;

  private constructor(testDatabase: TestDatabase, database: Database) {
    this.#testDatabase = testDatabase;
    this.database = database;
  }

  static async open(): Promise<SteppedSchedules> {
    const testDatabase = await createTestDatabase();
    const clocks = new SteppedSchedules(testDatabase, await connectDatabase({ url: testDatabase.url }));
    const orgId = await insertOrg(clocks.database);
    clocks.#owner = { orgId, userId: await insertUser(clocks.database, [orgId], 'owner') };
    clocks.#agentId = await insertAgent(clocks.database, orgId);
    return clocks;
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.#testDatabase.drop();
  }

  /** Ends the worker, and starts another. */
  async replaceWorker(): Promise<void> {
    await this.database.close();
    this.database = await connectDatabase({ url: this.#testDatabase.url });
  }

  /** Adds a schedule as it would be if it had been added at that time. */
  async add(cronExpr: string, timezone: string, createdAt: Date): Promise<Schedule> {
    const fields = { name: 'Report', prompt: 'Report', agentId: this.#agentId, cronExpr, timezone };
    return withOrgTransaction(this.database, this.#owner.orgId, async (em) => {
      const schedule = await createSchedule(em, this.#owner, fields, this.#limits);
      const slot = nextSlot(schedule, createdAt) ?? null;
      return em.assign(schedule, { createdAt, nextRunAt: slot });
    });
  }

  /** Moves the clock to the next time at which something is due, and returns it; undefined when that is after `end`. */
  async nextDue(end: Date): Promise<Date | undefined> {
    const { rows } = await this.database.system.query<{ at: Date | null }>(
      'select min(next_run_at) as at from schedules',
    );
    const at = rows[0]?.at ?? undefined;
    return at !== undefined && at <= end ? at : undefined;
  }

  /** Has the worker fire what is due, and ends the runs that it has started. */
  async work(now: Date): Promise<void> {
    const { rows } = await this.database.system.query<{ id: string }>(
      'select id from schedules where next_run_at <= $1',
      [now],
    );
    const { orgId } = this.#owner;
    await Promise.all(
      rows.map(async ({ id }) => fireSchedule(this.database, { orgId, scheduleId: id }, now, this.#limits)),
    );
    await this.database.system.query(
      "update workflow_runs set status = 'completed', completed_at = now() where completed_at is null",
    );
  }

  /** The number of runs of a schedule, of slots with more than one, and of slots up to `end` with none. */
  async count(schedule: Schedule, end: Date) {
    const { rows } = await this.database.system.query<{ slot: Date }>(
      'select slot from workflow_runs where schedule_id = $1 order by slot',
      [schedule.id],
    );
    const slots = rows.map(({ slot }) => slot.getTime());
    const had = new Set(slots);
    const due = slotsBetween(schedule, { from: schedule.createdAt, to: end, limit: 10_000 });
    const gaps = due.filter((slot) => !had.has(slot.getTime())).length;
    return { runs: slots.length, doubles: slots.length - had.size, gaps, slots };
  }
}
