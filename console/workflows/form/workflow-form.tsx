import { useMemo } from 'react';
import { useAgents } from '../../agents/queries.ts';
import { useRefusal } from '../../core/permissions.ts';
import { timeZone } from '../../core/text/formats.ts';
import { ChoiceField } from '../../ui/controls/choice.tsx';
import { Field } from '../../ui/fields/text-fields.tsx';
import { FIRST_CRON, RecurrenceFields } from '../../ui/cron-field/cron-field.tsx';
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

interface PartProps {
  readonly record: EditedRecord<WorkflowValues>;
}

/** What starts a workflow by itself: nothing, its webhook, or set times. */
function TriggerSection({ record: { values, field } }: PartProps) {
  const text = useWorkflowsText();
  const [cron, interval, zone, trigger] = [
    field('cron_expr'),
    field('interval_minutes'),
    field('timezone'),
    field('trigger_type'),
  ];
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
              zone.onValueChange(timeZone());
            }
          }}
        />
        {values.trigger_type === 'schedule' && (
          <>
            <RecurrenceFields cron={cron} interval={interval} zone={zone} />
            <SelectField
              label={text.overlap}
              options={(['skip', 'allow_all', 'cancel_other'] as const).map((overlap) => ({
                value: overlap,
                label: text.overlaps[overlap],
              }))}
              {...field('overlap')}
            />
            <NumberField label={text.catchup} unit={text.minutes} min={1} required {...field('catchup_minutes')} />
            <NumberField
              label={text.jitter}
              unit={text.seconds}
              min={0}
              max={3_600}
              required
              {...field('jitter_seconds')}
            />
          </>
        )}
      </div>
    </Section>
  );
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
