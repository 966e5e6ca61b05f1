import { useNavigate } from '@tanstack/react-router';
import { Bot, Building2, CircleDot, Keyboard, LogOut, MessageSquare, Sparkles, Zap } from 'lucide-react';
import { useState } from 'react';
import { useAgents } from '../agents/queries.ts';
import { useChats } from '../chats/index.ts';
import { useCan, useIsAdvanced } from '../core/permissions.ts';
import { useCurrentUser, useOrgId } from '../core/session/session-context.tsx';
import { keyNames, useShortcuts } from '../core/shortcuts.ts';
import { useText } from '../core/text/text-context.tsx';
import { useNewestIssues } from '../issues/queries.ts';
import { Palette, type PaletteItem } from '../ui/overlays/palette.tsx';
import { showInvisible } from '../ui/visible.ts';
import { useNavigation } from './navigation/entries.ts';
import { useSignOut } from './use-leaving.ts';

/** The open palette: pages, what the page can do, chats, agents and issues by their names, organizations. */
export function OpenedPalette({ onClose, onHelp }: { readonly onClose: () => void; readonly onHelp: () => void }) {
  const text = useText().nav;
  const actions = useActions(onHelp);
  const items = [...usePages(), ...useOfPage(), ...actions, ...useOrgs(), ...useRecords()];
  return (
    <Palette
      onClose={onClose}
      label={text.palette}
      placeholder={text.paletteHint}
      nothing={text.nothingFound}
      items={items}
    />
  );
}

function usePages(): readonly PaletteItem[] {
  const text = useText();
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  return useNavigation()
    .flatMap(({ entries }) => entries)
    .map(({ to, label, icon: Icon, keys }) => ({
      value: text.nav.go(label(text)),
      icon: <Icon aria-hidden />,
      ...(keys !== undefined && { keys }),
      run: () => void navigate({ to, params: { orgId } }),
    }));
}

/** What the keys of the page do; those that lead to pages are among the pages. */
function useOfPage(): readonly PaletteItem[] {
  // As it was when the palette was opened: its own keys are none of the page.
  const all = useShortcuts();
  const [ofPage] = useState(() => all.filter(({ keys }) => !/^(?:g |Mod\+k$|\?$)/.test(keys)));
  return ofPage.map(({ keys, label, run }) => ({
    key: `keys ${keys}`,
    value: label,
    icon: <Zap aria-hidden />,
    keys: keyNames(keys).join(' '),
    // The palette gives the focus back first.
    run: () => void setTimeout(run),
  }));
}

function useActions(onHelp: () => void): readonly PaletteItem[] {
  const text = useText();
  const [navigate, signOut] = [useNavigate(), useSignOut()];
  return [
    { value: text.nav.getStarted, icon: <Sparkles aria-hidden />, run: () => void navigate({ to: '/welcome' }) },
    { value: text.nav.shortcuts, icon: <Keyboard aria-hidden />, keys: '?', run: onHelp },
    { value: text.auth.signOut, icon: <LogOut aria-hidden />, run: signOut },
  ];
}

function useOrgs(): readonly PaletteItem[] {
  const text = useText().nav;
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  const { data: user } = useCurrentUser();
  return (user?.orgs ?? [])
    .filter(({ id }) => id !== orgId)
    .map(({ id, name }) => ({
      key: id,
      value: `${text.switchOrg}: ${showInvisible(name)}`,
      icon: <Building2 aria-hidden />,
      run: () => void navigate({ to: '/o/$orgId', params: { orgId: id } }),
    }));
}

/** Chats, agents and issues, as far as they are known or among the newest. */
function useRecords(): readonly PaletteItem[] {
  const text = useText().nav;
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  const isAdvanced = useIsAdvanced();
  const mayOpenAgents = useCan('agents.view') && isAdvanced;
  const mayOpenIssues = useCan('issues.view') && isAdvanced;
  const [chats, agents] = [useChats().data?.items ?? [], useAgents().data?.items ?? []];
  const { data: issues = [] } = useNewestIssues(mayOpenIssues);
  return [
    ...chats.map(({ id, title }) => ({
      key: id,
      value: showInvisible(title),
      kind: text.chat,
      icon: <MessageSquare aria-hidden />,
      run: () => void navigate({ to: '/o/$orgId/chats/$chatId', params: { orgId, chatId: id } }),
    })),
    ...(mayOpenAgents ? agents : []).map(({ id, name }) => ({
      key: id,
      value: showInvisible(name),
      kind: text.agent,
      icon: <Bot aria-hidden />,
      run: () => void navigate({ to: '/o/$orgId/agents/$agentId', params: { orgId, agentId: id } }),
    })),
    ...issues.map(({ id, number, title }) => ({
      key: id,
      value: `#${number} ${showInvisible(title)}`,
      kind: text.issue,
      icon: <CircleDot aria-hidden />,
      run: () => void navigate({ to: '/o/$orgId/issues/$issueId', params: { orgId, issueId: id } }),
    })),
  ];
}
