import { useOrgId, useServer } from '../core/session/session-context.tsx';
import { Facts, Loaded, Section } from '../ui/page/page.tsx';
import { useSettingsText } from './text.ts';

/** Which server this is, and where its api is described. */
export function AboutPage() {
  const { about: text } = useSettingsText();
  const [server, orgId] = [useServer(), useOrgId()];
  return (
    <Section title={text.title}>
      <Loaded query={server}>
        {({ version, registration }) => (
          <Facts
            facts={[
              { label: text.version, value: version },
              { label: text.registration, value: text.registrations[registration] },
              { label: text.orgId, value: <code>{orgId}</code> },
            ]}
          />
        )}
      </Loaded>
      <p>
        <a href="/docs" target="_blank" rel="noreferrer">
          {text.docs}
        </a>
      </p>
      <p>
        <a href="/openapi.json" target="_blank" rel="noreferrer">
          {text.openapi}
        </a>
      </p>
    </Section>
  );
}
