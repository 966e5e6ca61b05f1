import { Check, Minus } from 'lucide-react';
import { useState } from 'react';
import { type GroupRules, type Policy, policyOf } from '../../domain/permissions/policy.ts';
import { ALLOWLISTS } from '../../domain/resources.ts';
import { formatNumber } from '../core/text/formats.ts';
import { type Member, nameOf, useMembers } from '../members/queries.ts';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Facts, Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { memberChoice } from './group-members.tsx';
import type { Assignable, PermissionGroup } from './queries.ts';
import { type GroupValues, valuesOf } from './group-values.ts';
import { isGranted, type MatrixRow } from './matrix.tsx';
import matrix from './permissions.module.css';
import { type PermissionsText, usePermissionsText } from './text.ts';

interface PreviewProps {
  readonly group: PermissionGroup;
  readonly groups: readonly PermissionGroup[];
  /** The group as it is being changed. */
  readonly values: GroupValues;
  readonly rows: readonly MatrixRow[];
  readonly assignable: Assignable;
}

/** What would hold for a member, by the rules that the server goes by. */
export function Preview(props: PreviewProps) {
  const { group } = props;
  const text = usePermissionsText();
  const { data: members = [] } = useMembers();
  const [chosen, setChosen] = useState<string | null>(null);
  const member = members.find(({ user_id: id }) => id === chosen);
  return (
    <Section title={text.preview} lead={text.previewWhy}>
      <ChoiceField
        label={text.previewOf}
        name="preview"
        hint={member === undefined ? text.previewHint : undefined}
        choices={members.map(memberChoice)}
        value={chosen}
        onValueChange={setChosen}
      />
      {member !== undefined && (
        <>
          {!group.user_ids.includes(member.user_id) && <p>{text.notIn(showInvisible(nameOf(member)))}</p>}
          <PolicyOf {...props} policy={policyOf(member.role, groupsOf(member, props))} />
        </>
      )}
    </Section>
  );
}

function groupsOf({ user_id: userId }: Member, { group, groups, values }: PreviewProps): GroupRules[] {
  const others = groups.filter(({ id, user_ids: ids }) => id !== group.id && ids.includes(userId));
  return [...others.map((other) => rulesOf(other.id, valuesOf(other))), rulesOf(group.id, values)];
}

/** Returns the rules that a group has, as the server reads them. */
function rulesOf(id: string, values: GroupValues): GroupRules {
  return {
    id,
    permissions: values.permissions,
    limits: {
      tokenBudget: values.token_budget ?? 0,
      tokenWindowHours: values.token_window_hours ?? 0,
      maxConcurrentAgents: values.max_concurrent_agents ?? 0,
      maxProviderAccounts: values.max_provider_accounts ?? 0,
    },
    allowlists: {
      agentIds: values.agent_ids,
      skillKeys: values.skill_keys,
      toolKeys: values.tool_keys,
      personaIds: values.persona_ids,
      providerIds: values.provider_ids,
      chainIds: values.chain_ids,
    },
    defaultChainId: values.default_chain_id,
  };
}

function PolicyOf({ policy, rows, assignable }: PreviewProps & { readonly policy: Policy }) {
  const text = usePermissionsText();
  const keys = [...policy.keys];
  return (
    <div className="stack">
      {!policy.isRestricted && <p>{text.unrestricted}</p>}
      <table className={matrix.matrix} aria-label={text.preview}>
        <thead>
          <tr>
            <th scope="col">{text.area}</th>
            <th scope="col" className={matrix.cell}>
              {text.view}
            </th>
            <th scope="col" className={matrix.cell}>
              {text.manage}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.label}>
              <th scope="row">{row.label}</th>
              <Answer isYes={row.view === undefined ? undefined : isGranted(keys, row, 'view')} />
              <Answer isYes={row.manage === undefined ? undefined : isGranted(keys, row, 'manage')} />
            </tr>
          ))}
        </tbody>
      </table>
      <Facts facts={factsOf(policy, assignable, text)} />
    </div>
  );
}

function Answer({ isYes }: { readonly isYes: boolean | undefined }) {
  const text = usePermissionsText();
  if (isYes === undefined) return <td className={matrix.cell}>{text.without}</td>;
  return (
    <td className={`${matrix.cell} ${isYes ? matrix.on : matrix.off}`}>
      {isYes ? <Check aria-hidden /> : <Minus aria-hidden />}
      <span className="hidden">{isYes ? text.yes : text.no}</span>
    </td>
  );
}

function factsOf({ limits, allowlists, defaultChainId }: Policy, assignable: Assignable, text: PermissionsText) {
  const budgets = limits.budgets.map(({ tokens, windowHours }) => text.budget(tokens, windowHours));
  const most = (n: number) => (n === 0 ? text.unlimited : formatNumber(n));
  const lists = ALLOWLISTS.map(({ name, field, choices }) => {
    const allowed = allowlists[name];
    return {
      label: text.list[field],
      value: allowed === 'all' ? text.anything : namesOf([...allowed], assignable[choices], text),
    };
  });
  return [
    { label: text.budgets, value: budgets.length === 0 ? text.unlimited : budgets.join(text.or) },
    { label: text.limit.max_concurrent_agents, value: most(limits.maxConcurrentAgents) },
    { label: text.limit.max_provider_accounts, value: most(limits.maxProviderAccounts) },
    ...lists,
    ...(defaultChainId === null
      ? []
      : [{ label: text.chain, value: namesOf([defaultChainId], assignable.chains, text) }]),
  ];
}

/** Returns the names of what is allowed; what is gone has none and allows nothing. */
function namesOf(
  ids: readonly string[],
  things: readonly ({ id: string; name: string } | { key: string; name: string })[],
  text: PermissionsText,
): string {
  const names = new Map(things.map((thing) => ['id' in thing ? thing.id : thing.key, thing.name]));
  return showInvisible(ids.map((id) => names.get(id) ?? text.unknownThing).join(', '));
}
