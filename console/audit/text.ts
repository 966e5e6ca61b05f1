import { ownText } from '../core/text/text-context.tsx';

/** Returns what the page of the audit log says, in the language of the page. */
export const useAuditText = ownText({
  en: {
    title: 'Audit log',
    lead: (zone: string) => `Who did what, when and from where. Times are those of your zone, ${zone}.`,
    refresh: 'Look again',
    empty: 'No entry matches',
    emptyWhy:
      'Changes of rights, members, keys, providers, settings and agents are recorded here, and what was denied.',
    time: 'Time',
    who: 'Who',
    gone: 'an account that is gone',
    did: 'Action',
    record: 'Record',
    ownAccount: 'their own account',
    thisOrg: 'this organization',
    several: (n: string) => `${n} records`,
    outcome: 'Outcome',
    outcomes: { success: 'done', denied: 'denied', failed: 'failed' },
    attempts: 'Attempts',
    details: 'Entry of the audit log',
    filters: {
      actor_id: 'Who',
      action: 'Action',
      record_type: 'Type of record',
      record_id: 'Record',
      outcome: 'Outcome',
      from: 'From',
      to: 'Until',
    },
    filterBy: (name: string) => `Filter by: ${name}`,
    chip: (name: string, value: string) => `${name}: ${value}`,
    apply: 'Filter',
    actionHint: 'Such as agents.create.',
    recordHint: 'The id of a record. It is also found where an entry names it beside another one.',
    timeHint: 'In your own zone.',
    credential: 'Credential',
    session: 'sign-in',
    apiKey: 'API key',
    ip: 'Address',
    ofAgent: 'a call of an agent',
    related: 'Named as well',
    fields: 'Fields that were sent',
    status: 'HTTP status',
    none: 'none',
    onlyActor: 'Only of this person',
    onlyAction: 'Only this action',
    onlyRecord: 'Only this record',
    open: 'Open the record',
    tooMany: (n: string) => `There are ${n} entries or more. Narrow the filters or the time to see all of them.`,
  },
});

/** What the page of the audit log says. */
export type AuditText = ReturnType<typeof useAuditText>;
