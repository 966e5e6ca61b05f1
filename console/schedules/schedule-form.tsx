import { useMemo } from 'react';
import { useAgents } from '../agents/queries.ts';
import { useRefusal } from '../core/permissions.ts';
import { timeZone } from '../core/text/formats.ts';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Field, MomentField, TextAreaField } from '../ui/fields/text-fields.tsx';
import { FIRST_CRON, RecurrenceFields } from '../ui/cron-field/cron-field.tsx';
import { NumberField, SelectField, SwitchField } from '../ui/fields/fields.tsx';
import { type EditedRecord, fieldsLike, plainJson } from '../ui/form/use-record.ts';
import { RecordForm, type RecordFormProps } from '../ui/form/record-form.tsx';
import { Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import type { Overlap, Schedule, ScheduleChanges } from './queries.ts';
import { useSchedulesText } from './text.ts';

/** What a form changes of a schedule, by the names of the api. */
interface ScheduleValues {
  readonly name: string;
  readonly description: string;
  readonly agent_id: string | null;
  readonly prompt: string;
  readonly cron_expr: string | null;
  readonly interval_minutes: number | null;
  readonly timezone: string;
  readonly overlap: Overlap;
  readonly catchup_minutes: number | null;
  readonly jitter_seconds: number | null;
  readonly pause_on_failure: boolean;
  readonly start_at: string | null;
  readonly end_at: string | null;
  readonly max_runs: number | null;
  readonly keep_runs_days: number | null;
}

/** The values that a form begins with for a schedule that is new. */
const NEW_SCHEDULE: ScheduleValues = {
  name: '',
  description: '',
  agent_id: null,
  prompt: '',
  cron_expr: FIRST_CRON,
  interval_minutes: null,
  timezone: timeZone(),
  overlap: 'skip',
  catchup_minutes: 10,
  jitter_seconds: 0,
  pause_on_failure: false,
  start_at: null,
  end_at: null,
  max_runs: null,
  keep_runs_days: 90,
};

const SCHEDULE_JSON = plainJson<ScheduleValues>();

interface ScheduleFormProps extends Pick<
  RecordFormProps<ScheduleValues>,
  'submitLabel' | 'onSubmit' | 'done' | 'onReload'
> {
  /** The schedule as it is stored; absent for a new one. */
  readonly schedule?: Schedule;
}

/** The fields of a schedule: what is asked of whom, when, and what becomes of times that meet. */
export function ScheduleForm({ schedule, ...form }: ScheduleFormProps) {
  const refusal = useRefusal('schedules.manage');
  const stored = useMemo(() => (schedule === undefined ? NEW_SCHEDULE : valuesOf(schedule)), [schedule]);
  return (
    <RecordForm
      draftKey={`schedule.${schedule?.id ?? 'new'}`}
      stored={stored}
      isNew={schedule === undefined}
      reason={refusal}
      json={SCHEDULE_JSON}
      {...form}
    >
      {(record) => (
        <>
          <WhatSection record={record} />
          <TimesSection record={record} />
          <RestSection record={record} />
        </>
      )}
    </RecordForm>
  );
}

/** Returns what a form changes of a schedule, as it is stored. */
export function valuesOf(schedule: Schedule): ScheduleValues {
  return { ...fieldsLike(NEW_SCHEDULE, schedule), description: schedule.description ?? '' };
}

interface PartProps {
  readonly record: EditedRecord<ScheduleValues>;
}

function WhatSection({ record: { field } }: PartProps) {
  const text = useSchedulesText();
  const agents = useAgents().data?.items ?? [];
  return (
    <Section title={text.what}>
      <div className="sections">
        <Field label={text.name} required {...field('name')} />
        <ChoiceField
          label={text.agent}
          hint={text.agentHint}
          placeholder={text.agentPlaceholder}
          choices={agents.map(({ id, name }) => ({ value: id, label: showInvisible(name) }))}
          {...field('agent_id')}
        />
        <TextAreaField label={text.prompt} hint={text.promptHint} required {...field('prompt')} />
        <Field label={text.description} {...field('description')} />
      </div>
    </Section>
  );
}

function TimesSection({ record: { values, field } }: PartProps) {
  const text = useSchedulesText();
  const { start_at: start, end_at: end } = values;
  const bounds = useMemo(() => ({ startAt: momentOf(start), endAt: momentOf(end) }), [start, end]);
  return (
    <Section title={text.times}>
      <div className="sections">
        <RecurrenceFields
          cron={field('cron_expr')}
          interval={field('interval_minutes')}
          zone={field('timezone')}
          bounds={bounds}
        />
        <MomentField label={text.startAt} hint={text.startHint(timeZone())} {...field('start_at')} />
        <MomentField label={text.endAt} hint={text.endHint} {...field('end_at')} />
        <SelectField
          label={text.overlap}
          options={(['skip', 'buffer_one', 'allow_all', 'cancel_other'] as const).map((overlap) => ({
            value: overlap,
            label: text.overlaps[overlap],
          }))}
          {...field('overlap')}
        />
      </div>
    </Section>
  );
}

function momentOf(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}

function RestSection({ record: { field } }: PartProps) {
  const text = useSchedulesText();
  return (
    <Section title={text.rest}>
      <div className="sections">
        <SwitchField label={text.pauseOnFailure} {...field('pause_on_failure')} />
        <NumberField
          label={text.catchup}
          hint={text.catchupHint}
          unit={text.minutes}
          min={1}
          required
          {...field('catchup_minutes')}
        />
        <NumberField
          label={text.jitter}
          hint={text.jitterHint}
          unit={text.seconds}
          min={0}
          max={3_600}
          required
          {...field('jitter_seconds')}
        />
        <NumberField label={text.maxRuns} hint={text.maxRunsHint} min={1} {...field('max_runs')} />
        <NumberField label={text.keepDays} unit={text.days} min={1} required {...field('keep_runs_days')} />
      </div>
    </Section>
  );
}

/** Returns what is sent of values: a number that was emptied and has no meaning without one is left as it is. */
export function bodyOf(values: Partial<ScheduleValues>): ScheduleChanges {
  const { catchup_minutes: catchup, jitter_seconds: jitter, keep_runs_days: keep, ...rest } = values;
  return {
    ...rest,
    ...(typeof catchup === 'number' && { catchup_minutes: catchup }),
    ...(typeof jitter === 'number' && { jitter_seconds: jitter }),
    ...(typeof keep === 'number' && { keep_runs_days: keep }),
  };
}
