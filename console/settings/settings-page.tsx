import { Link, Outlet } from '@tanstack/react-router';
import { useOrgId } from '../core/session/session-context.tsx';
import { Page } from '../ui/page/page.tsx';
import { PageTabs } from '../ui/page/tabs.tsx';
import classes from './settings-page.module.css';
import { useSettingsText } from './text.ts';

/** What stands around the settings: their heading, and what leads from one to another. */
export function SettingsPage() {
  const text = useSettingsText();
  const params = { orgId: useOrgId() };
  return (
    <Page title={text.title}>
      <PageTabs label={text.title}>
        <Link to="/o/$orgId/settings/profile" params={params}>
          {text.tabs.profile}
        </Link>
        <Link to="/o/$orgId/settings/sign-ins" params={params}>
          {text.tabs.signIns}
        </Link>
        <Link to="/o/$orgId/settings/api-keys" params={params}>
          {text.tabs.keys}
        </Link>
        <Link to="/o/$orgId/settings/appearance" params={params}>
          {text.tabs.appearance}
        </Link>
        <Link to="/o/$orgId/settings/organization" params={params}>
          {text.tabs.organization}
        </Link>
        <Link to="/o/$orgId/settings/about" params={params}>
          {text.tabs.about}
        </Link>
      </PageTabs>
      <div className={classes.sections}>
        <Outlet />
      </div>
    </Page>
  );
}
