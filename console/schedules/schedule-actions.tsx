import { Play } from 'lucide-react';
import { useState } from 'react';
import { slotsBetween } from '../../domain/schedules/timing.ts';
import { useRefusal } from '../core/permissions.ts';
import { Field, localMinute } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { useLeaveDeleted, useShowAdded } from '../ui/form/leave-page.ts';
import { RecordMenu } from '../ui/form/record-menu.tsx';
import { ActionButton, Confirm, Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type Schedule, useScheduleActions, useScheduleRecords } from './queries.ts';
import { bodyOf, valuesOf } from './schedule-form.tsx';
import { useSchedulesText } from './text.ts';
import { timingOf } from './week.ts';

/** What can be done with a schedule, beside its name. */
export function ScheduleActions({ schedule }: { readonly schedule: Schedule }) {
  const text = useSchedulesText();
  const { activate, trigger, remove } = useScheduleActions(schedule.id);
  const { add } = useScheduleRecords();
  const [leave, refusal] = [useLeaveDeleted(), useRefusal('schedules.manage')];
  const show = useShowAdded('/o/$orgId/schedules/$scheduleId', text.copied);
  const [asked, setAsked] = useState<'backfill' | 'remove'>();
  const { is_active: isActive } = schedule;
  const name = showInvisible(schedule.name);
  return (
    <>
      <ActionButton
        icon={Play}
        variant="primary"
        reason={refusal}
        done={text.triggered}
        action={async () => trigger.mutateAsync()}
      >
        {text.trigger}
      </ActionButton>
      <ActionButton
        reason={refusal}
        done={isActive ? text.deactivated : text.activated}
        action={async () => activate.mutateAsync(!isActive)}
      >
        {isActive ? text.deactivate : text.activate}
      </ActionButton>
      <RecordMenu
        kind="schedule"
        name={schedule.name}
        body={bodyOf(valuesOf(schedule))}
        mayAdd={refusal === undefined}
        onDuplicate={async (copied) => {
          const { prompt } = schedule;
          // A copy that ran at the same times at once would be a surprise.
          const body = { ...bodyOf(valuesOf(schedule)), prompt, name: copied, is_active: false };
          void show(await add(body));
        }}
        items={[{ key: 'backfill', label: text.backfill, reason: refusal, run: () => setAsked('backfill') }]}
        remove={{ label: text.remove, reason: refusal, run: () => setAsked('remove') }}
      />
      {asked === 'backfill' && <BackfillDialog schedule={schedule} onClose={() => setAsked(undefined)} />}
      <Confirm
        open={asked === 'remove'}
        onClose={() => setAsked(undefined)}
        title={text.removeTitle(name)}
        description={text.removeWhy}
        action={text.remove}
        onConfirm={async () => {
          await remove();
          const draftKeys = [`schedule.${schedule.id}`, `notify.schedules.${schedule.id}`];
          await leave(text.removed(name), '/o/$orgId/schedules', ...draftKeys);
        }}
      />
    </>
  );
}

/** More than so many times are not made up at once. */
const MOST = 100;
const DAY_MS = 86_400_000;

/** Makes up times of the past that have no run, and says before how many there are. */
function BackfillDialog({ schedule, onClose }: { readonly schedule: Schedule; readonly onClose: () => void }) {
  const text = useSchedulesText();
  const { backfill } = useScheduleActions(schedule.id);
  const toast = useToast();
  const [span, setSpan] = useState(() => ({
    from: localMinute(new Date(Date.now() - DAY_MS)),
    to: localMinute(new Date()),
  }));
  const [from, to] = [new Date(span.from), new Date(span.to)];
  return (
    <Dialog open onClose={onClose} title={text.backfill} description={text.backfillWhy}>
      <Form
        submitLabel={text.backfill}
        onSubmit={async () => {
          const body = { from: from.toISOString(), to: to.toISOString() };
          const { created, skipped } = await backfill.mutateAsync(body);
          toast(text.backfilled(created, skipped));
          onClose();
        }}
      >
        <Field
          label={text.from}
          name="from"
          type="datetime-local"
          required
          value={span.from}
          onValueChange={(value) => setSpan({ ...span, from: value })}
        />
        <Field
          label={text.to}
          name="to"
          type="datetime-local"
          required
          value={span.to}
          onValueChange={(value) => setSpan({ ...span, to: value })}
        />
        <output className="measure soft font-normal">
          {from <= to
            ? `${text.slots(slotsBetween(timingOf(schedule), { from, to, limit: MOST }).length, MOST)} ${text.slotsHint}`
            : text.wrongSpan}
        </output>
      </Form>
    </Dialog>
  );
}
