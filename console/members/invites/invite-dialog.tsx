import { useState } from 'react';
import { CodeBlock } from '../../ui/code/code-block.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { CopyOnce } from '../../ui/overlays/copy-once.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { type InviteWithToken, type Role, useInviteActions } from '../queries.ts';
import { RoleField } from '../roles/role-field.tsx';
import { whyNotInvite } from '../roles/rules.ts';
import { useMembersText } from '../text.ts';

interface InviteDialogProps {
  /** The role of whoever invites. */
  readonly caller: Role;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Makes an invite, then shows its link this once. The link is kept in this window only. */
export function InviteDialog({ caller, open, onClose }: InviteDialogProps) {
  const text = useMembersText();
  const [made, setMade] = useState<InviteWithToken>();
  return (
    <>
      <Dialog open={open && made === undefined} onClose={onClose} title={text.invite} description={text.inviteWhy}>
        <InviteForm caller={caller} onMade={setMade} />
      </Dialog>
      <CopyOnce
        secret={made && window.location.origin + made.invite_path}
        title={text.madeTitle}
        description={text.madeWhy}
        onStored={() => {
          setMade(undefined);
          onClose();
        }}
      >
        {made?.cli_install_sh !== undefined && <InstallLines invite={made} />}
      </CopyOnce>
    </>
  );
}

function InviteForm({ caller, onMade }: { readonly caller: Role; readonly onMade: (made: InviteWithToken) => void }) {
  const text = useMembersText();
  const { make } = useInviteActions();
  const [role, setRole] = useState<'viewer' | 'member' | 'admin'>('member');
  return (
    <Form
      submitLabel={text.make}
      onSubmit={async ({ email = '', full_name: name = '' }) => {
        const named = { ...(email !== '' && { email }), ...(name !== '' && { full_name: name }) };
        onMade(await make({ role, ...named }));
      }}
    >
      <RoleField
        value={role}
        whyNot={(to) => whyNotInvite(caller, to, text)}
        onValueChange={(to) => to !== 'owner' && setRole(to)}
      />
      <Field label={text.email} name="email" type="email" placeholder={text.optional} hint={text.emailHint} />
      <Field label={text.fullName} name="full_name" placeholder={text.optional} />
    </Form>
  );
}

function InstallLines({ invite }: { readonly invite: InviteWithToken }) {
  const text = useMembersText();
  return (
    <>
      <p>{text.onDevice}</p>
      <CodeBlock code={invite.cli_install_sh ?? ''} language={text.sh} />
      <CodeBlock code={invite.cli_install_ps ?? ''} language={text.powershell} />
    </>
  );
}
