import { defineEntity, p } from '@mikro-orm/core';
import type { Overlap } from '../../domain/schedules/decide-slot.ts';
import { tenantFilters, tenantProperties } from '../core/tenant-entity.ts';

const schema = defineEntity({
  name: 'Schedule',
  tableName: 'schedules',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    /** When somebody last changed it: its own slots do not. */
    updatedAt: p.datetime().onCreate(() => new Date()),
    /** The workflow that it times; null for a schedule of its own. */
    workflowId: p.uuid().strictNullable(),
    /** In whose name it starts runs: who last changed what they do, or when; null once the account is gone. */
    ownerId: p.uuid().strictNullable(),
    /** Null while nobody has said which: then it starts no runs. */
    agentId: p.uuid().strictNullable(),
    name: p.text(),
    description: p.text().strictNullable(),
    prompt: p.text(),
    /** Whether the prompt may repeat text from outside, as an agent has written it. */
    isForeign: p.boolean().onCreate(() => false),
    cronExpr: p.text().strictNullable(),
    intervalMinutes: p.integer().strictNullable(),
    timezone: p.text(),
    overlap: p.text().$type<Overlap>(),
    catchupMinutes: p.integer(),
    jitterSeconds: p.integer(),
    pauseOnFailure: p.boolean(),
    startAt: p.datetime().strictNullable(),
    endAt: p.datetime().strictNullable(),
    /** The number of slots that start runs; null for no end. */
    maxRuns: p.integer().strictNullable(),
    keepRunsDays: p.integer(),
    /** Slots that have started a run. */
    runsCount: p.integer(),
    isActive: p.boolean(),
    /** Why it stopped by itself; null while it is active, and when a person stopped it. */
    pauseReason: p.text().strictNullable(),
    /** The next slot; null while it is not active. */
    nextRunAt: p.datetime().strictNullable(),
    /** Grows with each change of what its Temporal Schedule is made of. */
    version: p.integer().onCreate(() => 1),
    /** The version that its Temporal Schedule was last made of; 0 for none. */
    appliedVersion: p.integer().onCreate(() => 0),
    /** When the housekeeping checks for runs that are kept long enough. */
    purgeAt: p.datetime().onCreate(() => new Date(Date.now() + 3_600_000)),
  },
});

/** A prompt that is sent to an agent at the times of a cron line, or at an interval. */
export class Schedule extends schema.class {}
schema.setClass(Schedule);
export { schema as scheduleSchema };
