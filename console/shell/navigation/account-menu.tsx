import { useNavigate } from '@tanstack/react-router';
import { CircleUser, LogOut, Settings } from 'lucide-react';
import { useCurrentUser } from '../../core/session/current-user.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { useText } from '../../core/text/text-context.tsx';
import { chooseTheme, THEMES, useTheme } from '../../core/theme.ts';
import { Menu, type MenuItem } from '../../ui/overlays/menu.tsx';
import { useSignOut } from './use-sign-out.ts';

/** The user's own menu: appearance, the settings, and the way out. */
export function AccountMenu({ className }: { readonly className?: string | undefined }) {
  const text = useText();
  const [leave, navigate, orgId] = [useSignOut(), useNavigate(), useOrgId()];
  const theme = useTheme();
  const { data: user } = useCurrentUser();
  const themes = THEMES.map((key, at): MenuItem => ({
    key,
    label: text.nav.themes[key],
    isChosen: key === theme,
    ...(at === 0 && { heading: text.nav.theme }),
    run: () => chooseTheme(key),
  }));
  const settings: MenuItem = {
    key: 'settings',
    label: text.nav.settings,
    icon: <Settings aria-hidden />,
    heading: user?.email ?? text.nav.account,
    run: () => void navigate({ to: '/o/$orgId/settings', params: { orgId } }),
  };
  const signOut: MenuItem = {
    key: 'sign-out',
    label: text.auth.signOut,
    icon: <LogOut aria-hidden />,
    run: leave,
  };
  return (
    <Menu
      label={text.nav.account}
      className={className}
      trigger={
        <>
          <CircleUser aria-hidden />
          <span>{text.nav.account}</span>
        </>
      }
      items={[...themes, settings, signOut]}
    />
  );
}
