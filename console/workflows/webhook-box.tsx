import { useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { CodeBlock, CopyButton } from '../ui/code/code-block.tsx';
import { ActionButton, ConfirmButton } from '../ui/overlays/dialog.tsx';
import { CopyOnce } from '../ui/overlays/copy-once.tsx';
import { Section } from '../ui/page/page.tsx';
import { useWorkflowRecords, type Workflow } from './queries.ts';
import { useWorkflowsText } from './text.ts';
import classes from './workflows.module.css';

/** The webhook of a workflow: its address, how it is called, and the secret that requests are signed with. */
export function WebhookBox({ workflow }: { readonly workflow: Workflow }) {
  const text = useWorkflowsText();
  const { webhook_url: url, has_webhook_secret: isSigned, is_active: isActive, variables } = workflow;
  return (
    <Section title={text.webhook} lead={text.webhookWhy} actions={<SecretActions workflow={workflow} />}>
      {!isActive && <p className="warn">{text.webhookOff}</p>}
      <p className="measure soft font-normal">{isSigned ? text.webhookSigned : text.webhookOpen}</p>
      {url === null ? (
        <p>{text.webhookHidden}</p>
      ) : (
        <>
          <div className={`line justify-between ${classes.address}`}>
            <code aria-label={text.address}>{url}</code>
            <CopyButton text={url} />
          </div>
          <h3 className={classes.stepName}>{text.call}</h3>
          <CodeBlock code={curlOf({ url, variables, isSigned })} language="bash" />
        </>
      )}
    </Section>
  );
}

const SECRET_BYTES = 32;

/** Makes a secret that nobody guesses. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface Webhook {
  readonly url: string;
  readonly variables: readonly string[];
  readonly isSigned: boolean;
}

/** Returns lines for a shell that call a webhook, with a value to be filled in for each variable. */
export function curlOf({ url, variables, isSigned }: Webhook): string {
  const body = quoted(JSON.stringify(Object.fromEntries(variables.map((name) => [name, '...']))));
  const address = quoted(url);
  if (!isSigned) return `curl ${address} -H 'content-type: application/json' -d ${body}`;
  return [
    `BODY=${body}; T=$(date +%s)`,
    `V1=$(printf '%s.%s' $T "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/.* //')`,
    `curl ${address} -H 'content-type: application/json' -H "x-everturn-signature: t=$T,v1=$V1" -d "$BODY"`,
  ].join('\n');
}

/** Returns a word that a shell reads as it is. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function SecretActions({ workflow }: { readonly workflow: Workflow }) {
  const { id, has_webhook_secret: isSigned, updated_at: version } = workflow;
  const text = useWorkflowsText();
  const { change } = useWorkflowRecords();
  const refusal = useRefusal('webhooks.manage');
  // The secret is in this page only, until somebody says that it is stored.
  const [secret, setSecret] = useState<string>();
  const make = async () => {
    const made = newSecret();
    await change(id, { webhook_secret: made }, version);
    setSecret(made);
  };
  return (
    <>
      {isSigned ? (
        <ConfirmButton
          reason={refusal}
          question={`${text.rotate}?`}
          why={text.rotateWhy}
          action={text.rotate}
          onConfirm={make}
        />
      ) : (
        <ActionButton reason={refusal} action={make}>
          {text.makeSecret}
        </ActionButton>
      )}
      {isSigned && (
        <ConfirmButton
          variant="quiet"
          reason={refusal}
          question={`${text.dropSecret}?`}
          why={text.dropWhy}
          action={text.dropSecret}
          onConfirm={async () => change(id, { webhook_secret: null }, version)}
        />
      )}
      <CopyOnce
        secret={secret}
        title={text.secretTitle}
        description={text.secretWhy}
        onStored={() => setSecret(undefined)}
      />
    </>
  );
}
