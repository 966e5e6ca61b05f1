import { useMemo } from 'react';
import { type Member, nameOf, useMembers } from '../members/queries.ts';
import { MultiChoiceField } from '../ui/fields/fields.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { Loaded, Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type PermissionGroup, useGroupActions } from './queries.ts';
import { usePermissionsText } from './text.ts';

interface GroupMembersProps {
  readonly group: PermissionGroup;
  /** Why they cannot be changed; undefined when they can. */
  readonly refusal: string | undefined;
}

/** Who is in a group. */
export function GroupMembers({ group, refusal }: GroupMembersProps) {
  const [text, { setMembers }] = [usePermissionsText(), useGroupActions()];
  const stored = useMemo(() => ({ user_ids: group.user_ids as readonly string[] }), [group.user_ids]);
  return (
    <Section title={text.members} lead={text.membersWhy}>
      <Loaded query={useMembers()}>
        {(members) => (
          <RecordForm
            draftKey={`group-members.${group.id}`}
            stored={stored}
            reason={refusal}
            submitLabel={text.saveMembers}
            done={text.membersSaved}
            onSubmit={async ({ values }) => setMembers(group.id, values.user_ids)}
          >
            {({ field }) => (
              <MultiChoiceField
                label={text.membersField}
                hint={text.membersHint}
                choices={members.map(memberChoice)}
                {...field('user_ids')}
              />
            )}
          </RecordForm>
        )}
      </Loaded>
    </Section>
  );
}

/** Returns a member as something that can be chosen: the address tells apart who has the same name. */
export function memberChoice(member: Member): { value: string; label: string } {
  const { user_id: value, full_name: name, email } = member;
  return { value, label: showInvisible(name === '' ? nameOf(member) : `${name} (${email})`) };
}
