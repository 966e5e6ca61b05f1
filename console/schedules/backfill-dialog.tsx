import { useState } from 'react';
import { slotsBetween } from '../../domain/schedules/index.ts';
import { Field } from '../ui/controls/field.tsx';
import { Form } from '../ui/controls/form.tsx';
import { localMinute } from '../ui/fields/moment-field.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { type Schedule, useScheduleActions } from './queries.ts';
import classes from './schedules.module.css';
import { useSchedulesText } from './text.ts';
import { timingOf } from './week/timing-of.ts';

/** More than so many times are not made up at once. */
const MOST = 100;
const DAY_MS = 86_400_000;

interface BackfillDialogProps {
  readonly schedule: Schedule;
  readonly onClose: () => void;
}

/** Makes up times of the past that have no run, and says before how many there are. */
export function BackfillDialog({ schedule, onClose }: BackfillDialogProps) {
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
        <output className={classes.soft}>
          {from <= to
            ? `${text.slots(slotsBetween(timingOf(schedule), { from, to, limit: MOST }).length, MOST)} ${text.slotsHint}`
            : text.wrongSpan}
        </output>
      </Form>
    </Dialog>
  );
}
