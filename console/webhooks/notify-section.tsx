import { useMemo } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { Field } from '../ui/fields/text-fields.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import type { DeliverySource } from './queries.ts';
import { useWebhooksText } from './text.ts';

/** What is told to the outside of a workflow or schedule. */
export interface Notified {
  readonly notify_url: string | null;
  readonly has_notify_secret: boolean;
  readonly notify_status: 'active' | 'paused' | null;
  readonly notify_pause_reason: string | null;
}

/** What is sent of it: `null` for no address. */
export interface NotifyChanges {
  readonly notify_url?: string | null;
  readonly notify_secret?: string;
}

interface NotifySectionProps {
  readonly source: DeliverySource;
  readonly notified: Notified;
  /** Stores changes; with `overwrite` also when somebody else has changed the record meanwhile. */
  readonly onSubmit: (changes: NotifyChanges, overwrite: boolean) => Promise<unknown>;
  readonly onReload: () => void;
}

/** Sets the address that is told of each run, and with which secret that is signed. */
export function NotifySection({ source, notified, onSubmit, onReload }: NotifySectionProps) {
  const [text, toast, refusal] = [useWebhooksText(), useToast(), useRefusal('webhooks.manage')];
  const { notify_url: url, has_notify_secret: hasSecret, notify_status: status, notify_pause_reason: why } = notified;
  const stored = useMemo(() => ({ notify_url: url ?? '', notify_secret: '' }), [url]);
  return (
    <Section title={text.notify} lead={text.notifyWhy}>
      {status === 'paused' && <p className="warn">{text.paused(showInvisible(why ?? ''))}</p>}
      <RecordForm
        draftKey={`notify.${source.kind}.${source.id}`}
        stored={stored}
        secrets={['notify_url', 'notify_secret']}
        reason={refusal}
        onReload={onReload}
        onSubmit={async ({ changes: { notify_url: changed, notify_secret: secret }, overwrite }) => {
          const changes = {
            ...(changed !== undefined && { notify_url: changed === '' ? null : changed }),
            ...(secret !== undefined && { notify_secret: secret }),
          };
          await onSubmit(changes, overwrite);
          toast(text.saved);
        }}
      >
        {({ field }) => (
          <>
            <Field label={text.url} type="url" placeholder="https://" {...field('notify_url')} />
            <Field
              label={text.secret}
              type="password"
              autoComplete="off"
              hint={hasSecret ? text.secretStored : text.secretHint}
              {...field('notify_secret')}
            />
          </>
        )}
      </RecordForm>
    </Section>
  );
}
