import { Badge } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import type { Schedule } from './queries.ts';
import { useSchedulesText } from './text.ts';

/** Whether a schedule starts runs; why not, when it has stopped by itself. */
export function StateBadge({ schedule }: { readonly schedule: Schedule }) {
  const text = useSchedulesText();
  const { is_active: isActive, pause_reason: reason } = schedule;
  if (isActive) return <Badge tone="good">{text.active}</Badge>;
  if (reason === null) return <Badge>{text.off}</Badge>;
  return (
    <span className="column items-start">
      <Badge tone="warn">{text.paused}</Badge>
      <span className="measure soft font-normal">{showInvisible(reason)}</span>
    </span>
  );
}
