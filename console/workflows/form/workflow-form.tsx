import { useMemo, useRef, useState } from 'react';
import { useAgents } from '../../agents/queries.ts';
import { useRefusal } from '../../core/permissions.ts';
import { ChoiceField } from '../../ui/controls/choice.tsx';
import { Field } from '../../ui/fields/text-fields.tsx';
import { CronField } from '../../ui/cron-field/cron-field.tsx';
import { NumberField, SelectField } from '../../ui/fields/fields.tsx';
import { RecordForm, type RecordFormProps } from '../../ui/form/record-form.tsx';
import type { EditedRecord } from '../../ui/form/use-record.ts';
import { Section } from '../../ui/page/page.tsx';
import { showInvisible } from '../../ui/visible.ts';
import type { Workflow } from '../queries.ts';
import { useWorkflowsText } from '../text.ts';
import { PromptField, StepsField } from './steps-field.tsx';
import { NEW_WORKFLOW, valuesOf, WORKFLOW_JSON, type WorkflowValues } from './workflow-values.ts';

interface WorkflowFormProps extends Pick<
  RecordFormProps<WorkflowValues>,
  'submitLabel' | 'onSubmit' | 'done' | 'onReload'
> {
  /** The workflow as it is stored; absent for a new one. */
  readonly workflow?: Workflow;
}

/** The fields of a workflow: what is asked of whom, in which steps, and what starts it. */
export function WorkflowForm({ workflow, ...form }: WorkflowFormProps) {
  const refusal = useRefusal('schedules.manage');
  const stored = useMemo(() => (workflow === undefined ? NEW_WORKFLOW : valuesOf(workflow)), [workflow]);
  return (
    <RecordForm
      draftKey={`workflow.${workflow?.id ?? 'new'}`}
      stored={stored}
      isNew={workflow === undefined}
      reason={refusal}
      json={WORKFLOW_JSON}
      {...form}
    >
      {(record) => (
        <>
          <WhatSection record={record} />
          <TriggerSection record={record} />
          <RestSection record={record} />
        </>
      )}
    </RecordForm>
  );
}

const FIRST_CRON = '0 9 * * 1-5';
const HOUR = 60;

interface TriggerSectionProps {
  readonly record: EditedRecord<WorkflowValues>;
}

/** What starts a workflow by itself: nothing, its webhook, or set times. */
function TriggerSection({ record }: TriggerSectionProps) {
  const text = useWorkflowsText();
  const { values, field } = record;
  const [cron, interval, trigger] = [field('cron_expr'), field('interval_minutes'), field('trigger_type')];
  // Whoever looks at the other kind and comes back finds what was there.
  const last = useRef({ expression: FIRST_CRON, minutes: HOUR });
  return (
    <Section title={text.when}>
      <div className="sections">
        <SelectField
          label={text.triggerKind}
          hint={text.triggerHint}
          options={(['manual', 'webhook', 'schedule'] as const).map((kind) => ({
            value: kind,
            label: text.triggerChoices[kind],
          }))}
          {...trigger}
          onValueChange={(kind) => {
            trigger.onValueChange(kind);
            if (kind === 'schedule' && values.cron_expr === null && values.interval_minutes === null) {
              cron.onValueChange(FIRST_CRON);
              field('timezone').onValueChange(Intl.DateTimeFormat().resolvedOptions().timeZone);
            }
          }}
        />
        {values.trigger_type === 'schedule' && (
          <>
            <SelectField
              label={text.recurs}
              name="recurs"
              value={values.interval_minutes === null ? 'cron' : 'interval'}
              options={(['cron', 'interval'] as const).map((kind) => ({
                value: kind,
                label: text.recursChoices[kind],
              }))}
              onValueChange={(kind) => {
                last.current = {
                  expression: values.cron_expr ?? last.current.expression,
                  minutes: values.interval_minutes ?? last.current.minutes,
                };
                cron.onValueChange(kind === 'cron' ? last.current.expression : null);
                interval.onValueChange(kind === 'cron' ? null : last.current.minutes);
              }}
            />
            <Times record={record} />
          </>
        )}
      </div>
    </Section>
  );
}

function Times({ record: { values, field } }: TriggerSectionProps) {
  const text = useWorkflowsText();
  // The next times are those from when the form was opened on: they are not to move while one reads them.
  const [now] = useState(() => Date.now());
  const interval = field('interval_minutes');
  return (
    <>
      {values.interval_minutes === null ? (
        <CronField
          label={text.cron}
          names={{ expression: 'cron_expr', zone: 'timezone' }}
          value={{ expression: values.cron_expr ?? '', zone: values.timezone }}
          now={now}
          onValueChange={({ expression, zone }) => {
            field('cron_expr').onValueChange(expression);
            field('timezone').onValueChange(zone);
          }}
        />
      ) : (
        <NumberField
          label={text.interval}
          unit={text.minutes}
          min={1}
          {...interval}
          onValueChange={(minutes) => interval.onValueChange(minutes ?? 1)}
        />
      )}
      <SelectField
        label={text.overlap}
        options={(['skip', 'allow_all', 'cancel_other'] as const).map((overlap) => ({
          value: overlap,
          label: text.overlaps[overlap],
        }))}
        {...field('overlap')}
      />
      <NumberField label={text.catchup} unit={text.minutes} min={1} required {...field('catchup_minutes')} />
      <NumberField label={text.jitter} unit={text.seconds} min={0} max={3_600} required {...field('jitter_seconds')} />
    </>
  );
}

interface PartProps {
  readonly record: EditedRecord<WorkflowValues>;
}

function WhatSection({ record: { values, field } }: PartProps) {
  const text = useWorkflowsText();
  const agents = useAgents().data?.items ?? [];
  const choices = agents.map(({ id, name }) => ({ value: id, label: showInvisible(name) }));
  return (
    <Section title={text.what}>
      <div className="sections">
        <Field label={text.name} required {...field('name')} />
        <ChoiceField label={text.agent} placeholder={text.agentPlaceholder} choices={choices} {...field('agent_id')} />
        {values.steps.length === 0 && (
          <PromptField label={text.prompt} hint={text.promptHint} {...field('prompt_template')} />
        )}
        <StepsField agents={choices} firstPrompt={values.prompt_template} {...field('steps')} />
        <Field label={text.description} {...field('description')} />
      </div>
    </Section>
  );
}

function RestSection({ record: { field } }: PartProps) {
  const text = useWorkflowsText();
  return (
    <Section title={text.rest}>
      <div className="sections">
        <NumberField
          label={text.maxConcurrent}
          hint={text.maxConcurrentHint}
          min={1}
          {...field('max_concurrent_runs')}
        />
        <NumberField
          label={text.timeLimit}
          hint={text.timeLimitHint}
          unit={text.minutes}
          min={1}
          {...field('time_limit_minutes')}
        />
        <NumberField label={text.keepDays} unit={text.days} min={1} required {...field('keep_runs_days')} />
      </div>
    </Section>
  );
}
