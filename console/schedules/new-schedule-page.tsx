import { useNavigate } from '@tanstack/react-router';
import { useOrgId } from '../core/session/session-context.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { BackLink } from '../ui/controls/back-link.tsx';
import { Page } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { bodyOf } from './body-of.ts';
import { useAddSchedule } from './queries.ts';
import { ScheduleForm } from './schedule-form.tsx';
import { useSchedulesText } from './text.ts';

/** Adds a schedule, which is active at once when it has an agent. */
export function NewSchedulePage() {
  const [text, orgId] = [useSchedulesText(), useOrgId()];
  const [add, toast, navigate] = [useAddSchedule(), useToast(), useNavigate()];
  return (
    <Page
      title={text.add}
      back={
        <BackLink to="/o/$orgId/schedules" params={{ orgId }}>
          {text.title}
        </BackLink>
      }
    >
      <ScheduleForm
        submitLabel={text.add}
        onSubmit={async ({ values }) => {
          const { name, prompt } = values;
          const { id } = await add.mutateAsync({ ...bodyOf(values), name, prompt });
          toast(text.added(showInvisible(name)));
          await navigate({ to: '/o/$orgId/schedules/$scheduleId', params: { orgId, scheduleId: id } });
        }}
      />
    </Page>
  );
}
