import { MikroORM } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { ENSURE_SERVICE_ROLE } from './service-role.ts';
import { Migration20261121FirstLight } from '../migrations/migration-20261121-first-light.ts';
import { Migration20261121DurableHeart } from '../migrations/migration-20261121-durable-heart.ts';
import { Migration20261121WhoMay } from '../migrations/migration-20261121-who-may.ts';
import { Migration20261121PasswordsApart } from '../migrations/migration-20261121-passwords-apart.ts';
import { Migration20261121SharedAccounts } from '../migrations/migration-20261121-shared-accounts.ts';
import { Migration20261121OrgsJoined } from '../migrations/migration-20261121-orgs-joined.ts';
import { Migration20261122LeasesOfTurns } from '../migrations/migration-20261122-leases-of-turns.ts';
import { Migration20261122DeletedAccounts } from '../migrations/migration-20261122-deleted-accounts.ts';
import { Migration20261122LookUpsOfTurns } from '../migrations/migration-20261122-look-ups-of-turns.ts';
import { Migration20261122AccountsOnTrial } from '../migrations/migration-20261122-accounts-on-trial.ts';
import { Migration20261122PasswordLinks } from '../migrations/migration-20261122-password-links.ts';
import { Migration20261122MakersOfPasswordLinks } from '../migrations/migration-20261122-makers-of-password-links.ts';
import { Migration20261122RefreshedSessions } from '../migrations/migration-20261122-refreshed-sessions.ts';
import { Migration20261122SubChatsOfDeletedChats } from '../migrations/migration-20261122-sub-chats-of-deleted-chats.ts';
import { Migration20261130MemoriesInPrompts } from '../migrations/migration-20261130-memories-in-prompts.ts';
import { Migration20261122AgeOfTurnEvents } from '../migrations/migration-20261122-age-of-turn-events.ts';
import { Migration20261128ProviderFailures } from '../migrations/migration-20261128-provider-failures.ts';
import { Migration20261128TurnFaults } from '../migrations/migration-20261128-turn-faults.ts';
import { Migration20261123Definitions } from '../migrations/migration-20261123-definitions.ts';
import { Migration20261124CustomTools } from '../migrations/migration-20261124-custom-tools.ts';
import { Migration20261121OriginOfKeys } from '../migrations/migration-20261121-origin-of-keys.ts';
import { Migration20261121CallTries } from '../migrations/migration-20261121-call-tries.ts';
import { Migration20261121AttachedServers } from '../migrations/migration-20261121-attached-servers.ts';
import { Migration20261121KnownAddresses } from '../migrations/migration-20261121-known-addresses.ts';
import { Migration20261121PlacesAtWork } from '../migrations/migration-20261121-places-at-work.ts';
import { Migration20261121OrgUsage } from '../migrations/migration-20261121-org-usage.ts';
import { Migration20261121ForeignText } from '../migrations/migration-20261121-foreign-text.ts';
import { Migration20261121OldCredentials } from '../migrations/migration-20261121-old-credentials.ts';
import { Migration20261125McpServers } from '../migrations/migration-20261125-mcp-servers.ts';
import { Migration20261127Search } from '../migrations/migration-20261127-search.ts';
import { Migration20261128ModelProfiles } from '../migrations/migration-20261128-model-profiles.ts';
import { Migration20261125McpSignIns } from '../migrations/migration-20261125-mcp-sign-ins.ts';
import { Migration20261126ChatFiles } from '../migrations/migration-20261126-chat-files.ts';
import { Migration20261126RemovedFiles } from '../migrations/migration-20261126-removed-files.ts';
import { Migration20261129Marketplace } from '../migrations/migration-20261129-marketplace.ts';
import { Migration20261201ExpiryOfMcpSignIns } from '../migrations/migration-20261201-expiry-of-mcp-sign-ins.ts';
import { Migration20261205ChangesOfMcpTools } from '../migrations/migration-20261205-changes-of-mcp-tools.ts';
import { Migration20261205TimesOfDefinitions } from '../migrations/migration-20261205-times-of-definitions.ts';
import { Migration20261204BytesOfFiles } from '../migrations/migration-20261204-bytes-of-files.ts';
import { Migration20261204MarketplaceIndexes } from '../migrations/migration-20261204-marketplace-indexes.ts';
import { Migration20261201TurnsOfFiles } from '../migrations/migration-20261201-turns-of-files.ts';
import { Migration20261202WakesOfTurns } from '../migrations/migration-20261202-wakes-of-turns.ts';
import { Migration20261202Integrations } from '../migrations/migration-20261202-integrations.ts';
import { Migration20261206Projects } from '../migrations/migration-20261206-projects.ts';
import { Migration20261206SharedChats } from '../migrations/migration-20261206-shared-chats.ts';
import { Migration20261207IntegrationsOfProjects } from '../migrations/migration-20261207-integrations-of-projects.ts';
import { Migration20261207Issues } from '../migrations/migration-20261207-issues.ts';
import { Migration20261208Tasks } from '../migrations/migration-20261208-tasks.ts';
import { Migration20261209AgentsOfProfiles } from '../migrations/migration-20261209-agents-of-profiles.ts';
import { Migration20261210AskedIndexes } from '../migrations/migration-20261210-asked-indexes.ts';
import { Migration20261210KeptRecords } from '../migrations/migration-20261210-kept-records.ts';
import { Migration20261214CompletedTasks } from '../migrations/migration-20261214-completed-tasks.ts';
import { Migration20261214FormerProjects } from '../migrations/migration-20261214-former-projects.ts';
import { Migration20261214OpenSubAgents } from '../migrations/migration-20261214-open-sub-agents.ts';
import { Migration20261214ReportedTurns } from '../migrations/migration-20261214-reported-turns.ts';
import { Migration20261214WorkUsage } from '../migrations/migration-20261214-work-usage.ts';
import { Migration20261211Board } from '../migrations/migration-20261211-board.ts';
import { Migration20261211TasksOfIssues } from '../migrations/migration-20261211-tasks-of-issues.ts';
import { Migration20261215AgentWorkflows } from '../migrations/migration-20261215-agent-workflows.ts';
import { Migration20261212IssueSync } from '../migrations/migration-20261212-issue-sync.ts';
import { Migration20261219BytesOfRuns } from '../migrations/migration-20261219-bytes-of-runs.ts';
import { Migration20261222OpenSyncs } from '../migrations/migration-20261222-open-syncs.ts';
import { Migration20261216Approvals } from '../migrations/migration-20261216-approvals.ts';
import { Migration20261217RepositoriesOfIssues } from '../migrations/migration-20261217-repositories-of-issues.ts';
import { Migration20261228ForeignSchedules } from '../migrations/migration-20261228-foreign-schedules.ts';
import { Migration20261225Schedules } from '../migrations/migration-20261225-schedules.ts';
import { Migration20261224RefusedPushes } from '../migrations/migration-20261224-refused-pushes.ts';
import { Migration20270105GoneIssues } from '../migrations/migration-20270105-gone-issues.ts';
import { Migration20270102StepApprovals } from '../migrations/migration-20270102-step-approvals.ts';
import { Migration20270103DeletedChats } from '../migrations/migration-20270103-deleted-chats.ts';
import { Migration20261212IssuePushes } from '../migrations/migration-20261212-issue-pushes.ts';
import { Migration20261213RepoTrees } from '../migrations/migration-20261213-repo-trees.ts';
import { Migration20270107PoliciesOfLongLists } from '../migrations/migration-20270107-policies-of-long-lists.ts';
import { Migration20270130Completions } from '../migrations/migration-20270130-completions.ts';
import { Migration20270208UsageTotals } from '../migrations/migration-20270208-usage-totals.ts';
import { Migration20270201CallsOfCompletions } from '../migrations/migration-20270201-calls-of-completions.ts';
import { Migration20270210ProviderSignIns } from '../migrations/migration-20270210-provider-sign-ins.ts';
import { Migration20270215DeletedBy } from '../migrations/migration-20270215-deleted-by.ts';
import { Migration20270216ChangedMessages } from '../migrations/migration-20270216-changed-messages.ts';
import { Migration20270217CountedTraces } from '../migrations/migration-20270217-counted-traces.ts';
import { Migration20270217IntegrationsOfKind } from '../migrations/migration-20270217-integrations-of-kind.ts';
import { Migration20270218ChatOrigins } from '../migrations/migration-20270218-chat-origins.ts';
import { Migration20270219ClientsOfSessions } from '../migrations/migration-20270219-clients-of-sessions.ts';
import { Migration20261128ShownApprovals } from '../migrations/migration-20261128-shown-approvals.ts';
import { Migration20261128CompletionsAfterTurns } from '../migrations/migration-20261128-completions-after-turns.ts';
import { Migration20270214RunsOfOrganizations } from '../migrations/migration-20270214-runs-of-organizations.ts';
import { Migration20270212BrowserSessions } from '../migrations/migration-20270212-browser-sessions.ts';
import { Migration20270214Traces } from '../migrations/migration-20270214-traces.ts';
import { Migration20270110SchedulesWithoutAgent } from '../migrations/migration-20270110-schedules-without-agent.ts';
import { Migration20270111BytesOfStepApprovals } from '../migrations/migration-20270111-bytes-of-step-approvals.ts';
import { Migration20270120Workspaces } from '../migrations/migration-20270120-workspaces.ts';
import { Migration20270122KnowledgeByMeaning } from '../migrations/migration-20270122-knowledge-by-meaning.ts';
import { Migration20270123KnowledgeQueries } from '../migrations/migration-20270123-knowledge-queries.ts';
import { Migration20270204CallsSetAside } from '../migrations/migration-20270204-calls-set-aside.ts';
import { Migration20270203IntegrationSettings } from '../migrations/migration-20270203-integration-settings.ts';
import { Migration20270205IntegrationSignIns } from '../migrations/migration-20270205-integration-sign-ins.ts';
import { Migration20270124CommandVariables } from '../migrations/migration-20270124-command-variables.ts';
import { Migration20270118Workers } from '../migrations/migration-20270118-workers.ts';
import { Migration20270115KnowledgeBases } from '../migrations/migration-20270115-knowledge-bases.ts';
import { Migration20270116KnowledgeOfAgents } from '../migrations/migration-20270116-knowledge-of-agents.ts';
import { Migration20261230Webhooks } from '../migrations/migration-20261230-webhooks.ts';
import { Migration20261231WebhooksOfSchedules } from '../migrations/migration-20261231-webhooks-of-schedules.ts';
import { Migration20261128SharesOfOwners } from '../migrations/migration-20261128-shares-of-owners.ts';
import { Migration20261128UnfinishedReads } from '../migrations/migration-20261128-unfinished-reads.ts';
import { entities } from './entities.ts';

/** Brings the schema of the database to the state this code expects. Concurrent calls are safe: one does the work. */
export async function migrate(databaseUrl: string): Promise<void> {
  const orm = await MikroORM.init({
    clientUrl: databaseUrl,
    entities,
    extensions: [Migrator],
    migrations: {
      tableName: 'schema_migrations',
      // In the order of execution, which is not that of the dates: append to the end.
      migrationsList: [
        { name: 'migration-20261121-first-light', class: Migration20261121FirstLight },
        { name: 'migration-20261121-durable-heart', class: Migration20261121DurableHeart },
        { name: 'migration-20261121-who-may', class: Migration20261121WhoMay },
        { name: 'migration-20261121-passwords-apart', class: Migration20261121PasswordsApart },
        { name: 'migration-20261121-shared-accounts', class: Migration20261121SharedAccounts },
        { name: 'migration-20261121-origin-of-keys', class: Migration20261121OriginOfKeys },
        { name: 'migration-20261121-call-tries', class: Migration20261121CallTries },
        { name: 'migration-20261121-attached-servers', class: Migration20261121AttachedServers },
        { name: 'migration-20261121-known-addresses', class: Migration20261121KnownAddresses },
        { name: 'migration-20261121-places-at-work', class: Migration20261121PlacesAtWork },
        { name: 'migration-20261121-org-usage', class: Migration20261121OrgUsage },
        { name: 'migration-20261121-foreign-text', class: Migration20261121ForeignText },
        { name: 'migration-20261121-old-credentials', class: Migration20261121OldCredentials },
        { name: 'migration-20261121-orgs-joined', class: Migration20261121OrgsJoined },
        { name: 'migration-20261122-look-ups-of-turns', class: Migration20261122LookUpsOfTurns },
        { name: 'migration-20261122-sub-chats-of-deleted-chats', class: Migration20261122SubChatsOfDeletedChats },
        { name: 'migration-20261122-refreshed-sessions', class: Migration20261122RefreshedSessions },
        { name: 'migration-20261122-password-links', class: Migration20261122PasswordLinks },
        { name: 'migration-20261122-accounts-on-trial', class: Migration20261122AccountsOnTrial },
        { name: 'migration-20261122-makers-of-password-links', class: Migration20261122MakersOfPasswordLinks },
        { name: 'migration-20261122-deleted-accounts', class: Migration20261122DeletedAccounts },
        { name: 'migration-20261122-leases-of-turns', class: Migration20261122LeasesOfTurns },
        { name: 'migration-20261122-age-of-turn-events', class: Migration20261122AgeOfTurnEvents },
        { name: 'migration-20261123-definitions', class: Migration20261123Definitions },
        { name: 'migration-20261124-custom-tools', class: Migration20261124CustomTools },
        { name: 'migration-20261125-mcp-servers', class: Migration20261125McpServers },
        { name: 'migration-20261126-chat-files', class: Migration20261126ChatFiles },
        { name: 'migration-20261126-removed-files', class: Migration20261126RemovedFiles },
        { name: 'migration-20261127-search', class: Migration20261127Search },
        { name: 'migration-20261128-model-profiles', class: Migration20261128ModelProfiles },
        { name: 'migration-20261125-mcp-sign-ins', class: Migration20261125McpSignIns },
        { name: 'migration-20261130-memories-in-prompts', class: Migration20261130MemoriesInPrompts },
        { name: 'migration-20261129-marketplace', class: Migration20261129Marketplace },
        { name: 'migration-20261201-turns-of-files', class: Migration20261201TurnsOfFiles },
        { name: 'migration-20261201-expiry-of-mcp-sign-ins', class: Migration20261201ExpiryOfMcpSignIns },
        { name: 'migration-20261205-times-of-definitions', class: Migration20261205TimesOfDefinitions },
        { name: 'migration-20261205-changes-of-mcp-tools', class: Migration20261205ChangesOfMcpTools },
        { name: 'migration-20261202-wakes-of-turns', class: Migration20261202WakesOfTurns },
        { name: 'migration-20261202-integrations', class: Migration20261202Integrations },
        { name: 'migration-20261204-bytes-of-files', class: Migration20261204BytesOfFiles },
        { name: 'migration-20261204-marketplace-indexes', class: Migration20261204MarketplaceIndexes },
        { name: 'migration-20261206-projects', class: Migration20261206Projects },
        { name: 'migration-20261206-shared-chats', class: Migration20261206SharedChats },
        { name: 'migration-20261207-issues', class: Migration20261207Issues },
        { name: 'migration-20261207-integrations-of-projects', class: Migration20261207IntegrationsOfProjects },
        { name: 'migration-20261208-tasks', class: Migration20261208Tasks },
        { name: 'migration-20261209-agents-of-profiles', class: Migration20261209AgentsOfProfiles },
        { name: 'migration-20261210-asked-indexes', class: Migration20261210AskedIndexes },
        { name: 'migration-20261210-kept-records', class: Migration20261210KeptRecords },
        { name: 'migration-20261214-work-usage', class: Migration20261214WorkUsage },
        { name: 'migration-20261214-former-projects', class: Migration20261214FormerProjects },
        { name: 'migration-20261214-open-sub-agents', class: Migration20261214OpenSubAgents },
        { name: 'migration-20261214-completed-tasks', class: Migration20261214CompletedTasks },
        { name: 'migration-20261214-reported-turns', class: Migration20261214ReportedTurns },
        { name: 'migration-20261211-board', class: Migration20261211Board },
        { name: 'migration-20261211-tasks-of-issues', class: Migration20261211TasksOfIssues },
        { name: 'migration-20261215-agent-workflows', class: Migration20261215AgentWorkflows },
        { name: 'migration-20261212-issue-sync', class: Migration20261212IssueSync },
        { name: 'migration-20261216-approvals', class: Migration20261216Approvals },
        { name: 'migration-20261212-issue-pushes', class: Migration20261212IssuePushes },
        { name: 'migration-20261219-bytes-of-runs', class: Migration20261219BytesOfRuns },
        { name: 'migration-20261222-open-syncs', class: Migration20261222OpenSyncs },
        { name: 'migration-20261217-repositories-of-issues', class: Migration20261217RepositoriesOfIssues },
        { name: 'migration-20261225-schedules', class: Migration20261225Schedules },
        { name: 'migration-20261228-foreign-schedules', class: Migration20261228ForeignSchedules },
        { name: 'migration-20261224-refused-pushes', class: Migration20261224RefusedPushes },
        { name: 'migration-20270105-gone-issues', class: Migration20270105GoneIssues },
        { name: 'migration-20261213-repo-trees', class: Migration20261213RepoTrees },
        { name: 'migration-20270102-step-approvals', class: Migration20270102StepApprovals },
        { name: 'migration-20270103-deleted-chats', class: Migration20270103DeletedChats },
        { name: 'migration-20270107-policies-of-long-lists', class: Migration20270107PoliciesOfLongLists },
        { name: 'migration-20270110-schedules-without-agent', class: Migration20270110SchedulesWithoutAgent },
        { name: 'migration-20270111-bytes-of-step-approvals', class: Migration20270111BytesOfStepApprovals },
        { name: 'migration-20270118-workers', class: Migration20270118Workers },
        { name: 'migration-20270130-completions', class: Migration20270130Completions },
        { name: 'migration-20270208-usage-totals', class: Migration20270208UsageTotals },
        { name: 'migration-20270210-provider-sign-ins', class: Migration20270210ProviderSignIns },
        { name: 'migration-20261230-webhooks', class: Migration20261230Webhooks },
        { name: 'migration-20261231-webhooks-of-schedules', class: Migration20261231WebhooksOfSchedules },
        { name: 'migration-20270115-knowledge-bases', class: Migration20270115KnowledgeBases },
        { name: 'migration-20270116-knowledge-of-agents', class: Migration20270116KnowledgeOfAgents },
        { name: 'migration-20270120-workspaces', class: Migration20270120Workspaces },
        { name: 'migration-20270122-knowledge-by-meaning', class: Migration20270122KnowledgeByMeaning },
        { name: 'migration-20270123-knowledge-queries', class: Migration20270123KnowledgeQueries },
        { name: 'migration-20270124-command-variables', class: Migration20270124CommandVariables },
        { name: 'migration-20270203-integration-settings', class: Migration20270203IntegrationSettings },
        { name: 'migration-20270204-calls-set-aside', class: Migration20270204CallsSetAside },
        { name: 'migration-20270201-calls-of-completions', class: Migration20270201CallsOfCompletions },
        { name: 'migration-20270205-integration-sign-ins', class: Migration20270205IntegrationSignIns },
        { name: 'migration-20270212-browser-sessions', class: Migration20270212BrowserSessions },
        { name: 'migration-20270214-runs-of-organizations', class: Migration20270214RunsOfOrganizations },
        { name: 'migration-20270214-traces', class: Migration20270214Traces },
        { name: 'migration-20270215-deleted-by', class: Migration20270215DeletedBy },
        { name: 'migration-20270216-changed-messages', class: Migration20270216ChangedMessages },
        { name: 'migration-20270217-counted-traces', class: Migration20270217CountedTraces },
        { name: 'migration-20270217-integrations-of-kind', class: Migration20270217IntegrationsOfKind },
        { name: 'migration-20270218-chat-origins', class: Migration20270218ChatOrigins },
        { name: 'migration-20270219-clients-of-sessions', class: Migration20270219ClientsOfSessions },
        { name: 'migration-20261128-provider-failures', class: Migration20261128ProviderFailures },
        { name: 'migration-20261128-shares-of-owners', class: Migration20261128SharesOfOwners },
        { name: 'migration-20261128-shown-approvals', class: Migration20261128ShownApprovals },
        { name: 'migration-20261128-turn-faults', class: Migration20261128TurnFaults },
        { name: 'migration-20261128-completions-after-turns', class: Migration20261128CompletionsAfterTurns },
        { name: 'migration-20261128-unfinished-reads', class: Migration20261128UnfinishedReads },
      ],
      snapshot: false,
      silent: true,
    },
  });
  try {
    await orm.em.getConnection().transactional(async (transaction) => {
      await orm.em.getConnection().execute('select pg_advisory_xact_lock(7309345182)', [], 'run', transaction);
      await orm.migrator.up();
      await orm.em.getConnection().execute(ENSURE_SERVICE_ROLE, [], 'run');
    });
  } finally {
    await orm.close();
  }
}
