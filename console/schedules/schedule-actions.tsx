import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, Play } from 'lucide-react';
import { useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { Button, buttonClass } from '../ui/controls/button.tsx';
import { useRecordDrafts } from '../ui/form/record-drafts.ts';
import { Confirm } from '../ui/overlays/confirm.tsx';
import { Menu } from '../ui/overlays/menu.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { showInvisible } from '../ui/visible.ts';
import { BackfillDialog } from './backfill-dialog.tsx';
import { type Schedule, useScheduleActions } from './queries.ts';
import { useSchedulesText } from './text.ts';

/** What can be done with a schedule, beside its name. */
export function ScheduleActions({ schedule }: { readonly schedule: Schedule }) {
  const [text, orgId] = [useSchedulesText(), useOrgId()];
  const { activate, trigger, remove } = useScheduleActions(schedule.id);
  const drafts = useRecordDrafts();
  const [toast, refusal, navigate] = [useToast(), useRefusal('schedules.manage'), useNavigate()];
  const [asked, setAsked] = useState<'backfill' | 'remove'>();
  const { is_active: isActive } = schedule;
  const name = showInvisible(schedule.name);
  const onError = (error: Error) => toast(error.message, 'failed');
  return (
    <>
      <Button
        look="primary"
        reason={refusal}
        busy={trigger.isPending}
        onClick={() => trigger.mutate(undefined, { onSuccess: () => toast(text.triggered), onError })}
      >
        <Play aria-hidden />
        {text.trigger}
      </Button>
      <Button
        reason={refusal}
        busy={activate.isPending}
        onClick={() =>
          activate.mutate(!isActive, {
            onSuccess: () => toast(isActive ? text.deactivated : text.activated),
            onError,
          })
        }
      >
        {isActive ? text.deactivate : text.activate}
      </Button>
      {refusal === undefined && (
        <Menu
          label={text.more}
          className={buttonClass()}
          trigger={<Ellipsis aria-hidden />}
          items={[
            { key: 'backfill', label: text.backfill, run: () => setAsked('backfill') },
            { key: 'remove', label: text.remove, run: () => setAsked('remove') },
          ]}
        />
      )}
      {asked === 'backfill' && <BackfillDialog schedule={schedule} onClose={() => setAsked(undefined)} />}
      <Confirm
        open={asked === 'remove'}
        onClose={() => setAsked(undefined)}
        title={text.removeTitle(name)}
        description={text.removeWhy}
        action={text.remove}
        onConfirm={async () => {
          await remove.mutateAsync();
          toast(text.removed(name));
          // What was changed here and not saved is gone with it.
          drafts.forget(`schedule.${schedule.id}`, `notify.schedules.${schedule.id}`);
          await navigate({ to: '/o/$orgId/schedules', params: { orgId }, ignoreBlocker: true });
        }}
      />
    </>
  );
}
