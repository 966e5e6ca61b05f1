import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { EntryPage } from '../auth/entry-page.tsx';
import { answerOf } from '../core/http/api-client.ts';
import { CURRENT_USER, useApi } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { useSignOut } from '../shell/index.ts';
import { Button } from '../ui/controls/button.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';

/** What somebody sees who belongs to no organization: how to get into one. */
export function NoOrgPage() {
  const { nav: text, auth } = useText();
  const signOut = useSignOut();
  const navigate = useNavigate();
  const [api, cache] = [useApi(), useQueryClient()];
  return (
    <EntryPage
      title={text.noOrg}
      lead={text.noOrgWhy}
      footer={
        <Button variant="quiet" onClick={signOut}>
          {auth.signOut}
        </Button>
      }
    >
      <Form
        submitLabel={text.create}
        onSubmit={async ({ name = '' }) => {
          const { id } = await answerOf(api.POST('/api/orgs', { body: { name } }));
          await cache.invalidateQueries({ queryKey: CURRENT_USER });
          await navigate({ to: '/o/$orgId', params: { orgId: id } });
        }}
      >
        <Field label={text.orgName} name="name" isFirst required />
      </Form>
    </EntryPage>
  );
}
