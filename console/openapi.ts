// Written by `npm run types` from the api's own description of itself; a check compares it.

export interface components {
  schemas: {
    AcceptedFrame: { type: "accepted"; client_message_id: (string | null); message_id: string; turn_id: string };
    AccessToken: { access_token: string; token_type: "bearer"; expires_in: number; user_id: string };
    AccountDeletion: { current_password: string };
    Agent: { id: string; name: string; description: string; agent_type: "architect" | "assistant" | "coordinator" | "custom" | "devops" | "project_manager"; system_prompt: string; soul: Record<string, unknown>; tools: (string)[]; skills: (string)[]; requires_approval: Record<string, components['schemas']["ApprovalMode"]>; model_pref: (string | null); temperature: number; max_tokens: number; max_subagents: number; max_concurrency: number; mcps: (Record<string, unknown>)[]; knowledge_base_ids: ((string)[] | null); is_active: boolean; provider_chain_id: (string | null); persona_id: (string | null); missing: components['schemas']["MissingReferences"]; left_out?: components['schemas']["LeftOutDefaults"]; slug: (string | null); version: (string | null); created_at: string; updated_at: string; deleted_at: (string | null); deleted_by: (string | null) };
    AgentActivity: { chat_id: string; chat_title: string; status: "queued" | "running" | "waiting"; since: string };
    AgentCreate: { name: string; description?: string; agent_type?: "architect" | "assistant" | "coordinator" | "custom" | "devops" | "project_manager"; system_prompt?: string; soul?: Record<string, unknown>; tools?: (string)[]; skills?: (string)[]; requires_approval?: Record<string, components['schemas']["ApprovalMode"]>; model_pref?: (string | null); temperature?: number; max_tokens?: number; max_subagents?: number; max_concurrency?: number; mcps?: (components['schemas']["AttachedServer"])[]; knowledge_base_ids?: ((string)[] | null); is_active?: boolean; provider_chain_id?: (string | null); persona_id?: (string | null); missing?: Record<string, unknown> };
    AgentListItem: { id: string; name: string; description: string; agent_type: "architect" | "assistant" | "coordinator" | "custom" | "devops" | "project_manager"; is_active: boolean; tools: (string)[]; skills: (string)[]; created_at: string; updated_at: string; deleted_at: (string | null); deleted_by: (string | null) };
    AgentMemory: { type: "fact" | "instruction" | "context" | "example"; id: string; agent_id: string; content: string; tags: (string)[]; priority: number; created_at: string; updated_at: string };
    AgentPrompt: { agent_id: string; characters: number; estimated_tokens: number; parts: (components['schemas']["AgentPromptPart"])[]; skills: (components['schemas']["AgentPromptSkill"])[]; tools: (components['schemas']["AgentPromptTool"])[] };
    AgentPromptPart: { name: "persona" | "soul" | "agent" | "skills" | "project" | "memories" | "tools" | "tool_instructions" | "project_state"; text: (string | null); characters: number; estimated_tokens: number };
    AgentPromptSkill: { key: string; is_whole: boolean };
    AgentPromptTool: { name: string; is_whole: boolean; estimated_tokens: number };
    AgentResponse: { id: string; object: "response"; created_at: number; status: "in_progress" | "completed" | "incomplete" | "failed"; error: (components['schemas']["AgentResponseError"] | null); incomplete_details: (components['schemas']["AgentResponseIncompleteDetails"] | null); instructions: (string | null); metadata: components['schemas']["AgentResponseMetadata"]; model: string; output: (components['schemas']["AgentResponseOutputMessage"])[]; parallel_tool_calls: boolean; previous_response_id: (string | null); temperature: (number | null); tool_choice: "none"; tools: (unknown)[]; top_p: (number | null); usage: (components['schemas']["AgentResponseUsage"] | null); everturn: components['schemas']["AgentResponsePlace"] };
    AgentResponseError: { code: string; message: string };
    AgentResponseEvent: { type: string; sequence_number: number };
    AgentResponseIncompleteDetails: { reason: "max_output_tokens" };
    AgentResponseInputItem: (components['schemas']["AgentResponseInputMessage"] | components['schemas']["AgentResponseOtherItem"]);
    AgentResponseInputMessage: { type?: "message"; role: "system" | "developer" | "user" | "assistant"; content: (string | ((components['schemas']["AgentResponseTextPart"] | components['schemas']["RefusalPart"]))[]) };
    AgentResponseInputTokens: { cached_tokens: number; cache_write_tokens: number };
    AgentResponseMetadata: Record<string, string>;
    AgentResponseOtherItem: { type: "apply_patch_call" | "apply_patch_call_output" | "code_interpreter_call" | "compaction" | "computer_call" | "computer_call_output" | "custom_tool_call" | "custom_tool_call_output" | "file_search_call" | "function_call" | "function_call_output" | "image_generation_call" | "local_shell_call" | "local_shell_call_output" | "mcp_approval_request" | "mcp_approval_response" | "mcp_call" | "mcp_list_tools" | "reasoning" | "shell_call" | "shell_call_output" | "web_search_call" };
    AgentResponseOutputMessage: { type: "message"; id: string; role: "assistant"; status: "in_progress" | "completed" | "incomplete"; content: (components['schemas']["AgentResponseOutputText"])[] };
    AgentResponseOutputText: { type: "output_text"; text: string; annotations: (unknown)[]; logprobs: (unknown)[] };
    AgentResponseOutputTokens: { reasoning_tokens: number };
    AgentResponsePlace: { chat_id: string; turn_id: string };
    AgentResponseRequest: { model: string; input: (string | (components['schemas']["AgentResponseInputItem"])[]); instructions?: (string | null); previous_response_id?: (string | null); metadata?: (components['schemas']["AgentResponseMetadata"] | null); stream?: (boolean | null); background?: (boolean | null); conversation?: (string | null); tools?: ((unknown)[] | null); text?: ({ format?: { type: "text" } } | null) };
    AgentResponseTextPart: { type: "input_text" | "output_text" | "text"; text: string };
    AgentResponseUsage: { input_tokens: number; input_tokens_details: components['schemas']["AgentResponseInputTokens"]; output_tokens: number; output_tokens_details: components['schemas']["AgentResponseOutputTokens"]; total_tokens: number };
    AgentUpdate: { name?: string; description?: string; agent_type?: "architect" | "assistant" | "coordinator" | "custom" | "devops" | "project_manager"; system_prompt?: string; soul?: Record<string, unknown>; tools?: (string)[]; skills?: (string)[]; requires_approval?: Record<string, components['schemas']["ApprovalMode"]>; model_pref?: (string | null); temperature?: number; max_tokens?: number; max_subagents?: number; max_concurrency?: number; mcps?: (components['schemas']["AttachedServer"])[]; knowledge_base_ids?: ((string)[] | null); is_active?: boolean; provider_chain_id?: (string | null); persona_id?: (string | null); missing?: Record<string, unknown> };
    ApiKey: { id: string; org_id: string; name: string; hint: (string | null); made_by: "sign_in" | "device" | "unknown"; created_at: string; updated_at: string; last_used_at: (string | null); expires_at: (string | null) };
    ApiKeyCreate: { name: string };
    ApiKeyWithValue: { id: string; org_id: string; name: string; hint: (string | null); made_by: "sign_in" | "device" | "unknown"; created_at: string; updated_at: string; last_used_at: (string | null); expires_at: (string | null); key: string };
    Approval: { id: string; chat_id: string; turn_id: (string | null); call_id: (string | null); workflow_id: (string | null); run_id: (string | null); step: (string | null); user_id: string; other_person: boolean; agent_id: string; agent_name: string; tool: (string | null); label: string; arguments: Record<string, unknown>; edited_arguments: (Record<string, unknown> | null); details: (components['schemas']["ApprovalDetail"])[]; status: components['schemas']["ApprovalStatus"]; requested_at: string; expires_at: string; decided_by: (string | null); decider_name: (string | null); decided_at: (string | null); note: (string | null) };
    ApprovalDecidedFrame: { type: "approval_decided"; approval_id: string; task_id: string; status: components['schemas']["FinalApprovalStatus"] };
    ApprovalDecidedFrameV1: { type: "approval_decided"; approval_id: string; task_id: string; status: components['schemas']["FinalApprovalStatus"]; turn_id: string };
    ApprovalDecision: { approve: boolean; note?: (string | null); arguments?: Record<string, unknown> };
    ApprovalDetail: { label: string; value: string };
    ApprovalMode: "never" | "writes" | "always";
    ApprovalProgress: { approval_id: string; task_id: string; status: components['schemas']["ApprovalStatus"]; call?: components['schemas']["WaitingCall"] };
    ApprovalRequestedFrame: { type: "approval_requested"; approval_id: string; task_id: string; step_id: string; chat_id: string; agent_name: string; step_name: string; step_label: string; expires_at: string };
    ApprovalRequestedFrameV1: { type: "approval_requested"; approval_id: string; task_id: string; step_id: string; chat_id: string; agent_name: string; step_name: string; step_label: string; expires_at: string; turn_id: string; text_offset?: number };
    ApprovalStatus: "pending" | "approved" | "denied" | "expired" | "cancelled" | "outdated";
    AssignableResources: { agents: (components['schemas']["RecordReference"])[]; skills: (components['schemas']["KeyReference"])[]; tools: (components['schemas']["KeyReference"])[]; personas: (components['schemas']["RecordReference"])[]; providers: (components['schemas']["RecordReference"])[]; chains: (components['schemas']["RecordReference"])[] };
    AttachedServer: { id?: string; server_id?: string; tools?: (string)[]; name?: string; description?: (string | null); url?: string; config?: Record<string, unknown>; auth_type?: string; auth_value?: (string | null) };
    AuditEntry: { id: string; created_at: string; actor_id: string; actor_email: (string | null); session_id: (string | null); api_key_id: (string | null); ip: string; action: string; record_type: string; record_id: (string | null); record_name: (string | null); related_ids: (string)[]; fields: (string)[]; outcome: "success" | "denied" | "failed"; status: number; attempts: number };
    Board: { project_id: string; columns: (components['schemas']["BoardColumn"])[] };
    BoardColumn: { status: components['schemas']["TaskStatus"]; tasks: (components['schemas']["BoardTask"])[]; total: number };
    BoardEvent: (components['schemas']["Board"] | components['schemas']["BoardTask"] | components['schemas']["BoardRemoval"] | components['schemas']["BoardStreamError"]);
    BoardRemoval: { id: string };
    BoardStreamError: { message: string };
    BoardTask: { id: string; chat_id: string; sub_chat_id: (string | null); title: string; assigned_agent_id: (string | null); priority: components['schemas']["Priority"]; status: components['schemas']["TaskStatus"]; position: string; waits_for: (string)[]; attempts: number; issue_id: (string | null); parent_task_id: (string | null); created_at: string; updated_at: string };
    BrowserSignIn: { access_token: string; token_type: "bearer"; expires_in: number; user: components['schemas']["CurrentUser"] };
    BudgetUse: { token_budget: number; token_window_hours: number; used_tokens: number; remaining_tokens: number; available_at: (string | null) };
    CallStatus: "success" | "error" | "unknown" | "interrupted";
    CatalogEntry: { key: string; name: string; description: string; auth_type: "apikey" | "oauth" | "none"; auth_types: ("apikey" | "oauth" | "none")[]; credential_forms: (components['schemas']["ProviderCredentialForm"])[]; stream_type: string; base_url: (string | null); requires_base_url: boolean; default_model: (string | null); models: (string)[]; embedding_models: (string)[]; website: (string | null); category: string; available: boolean; unavailable_reason: (string | null) };
    CatchUpFrame: { type: "catch_up"; since_ms: number };
    ChangedFrame: { type: "changed"; resource: string; id: (string | null); action: "created" | "changed" | "deleted" };
    Chat: { id: string; title: string; agent_id: string; project_id: (string | null); user_id: string; provider_chain_id: (string | null); parent_chat_id: (string | null); origin: "person" | "program" | "workflow" | "schedule" | "issue" | "agent"; webhook: (components['schemas']["ChatWebhook"] | null); shared: boolean; status: "idle" | "running" | "waiting"; waiting_for: ("approval" | "place" | "provider" | "worker" | null); waiting_until: (string | null); created_at: string; updated_at: string; deleted_at: (string | null); purge_at: (string | null) };
    ChatCreate: { title?: (string | null); agent_id: string; project_id?: (string | null) };
    ChatFile: { id: string; chat_id: string; user_id: (string | null); name: string; path: string; text_path: (string | null); media_type: string; size: number; status: "pending" | "ready" | "failed"; error: (string | null); text_characters: (number | null); created_at: string; updated_at: string };
    ChatFork: { message_id?: (string | null); title?: (string | null) };
    ChatModel: { id: string; object: "model"; created: number; owned_by: string };
    ChatModelList: { object: "list"; data: (components['schemas']["ChatModel"])[] };
    ChatProviderChain: { provider_chain_id: (string | null) };
    ChatSharing: { shared: boolean };
    ChatTitle: { title: string };
    ChatWebhook: { url: string; has_secret: boolean; status: "active" | "paused"; pause_reason: (string | null) };
    ChatWebhookUpdate: { url: (string | null); secret?: (string | null) };
    Chunk: { content: string };
    ChunkFrame: { type: "chunk"; content: string };
    ChunkFrameV1: { type: "chunk"; content: string; turn_id: string; offset: number };
    ClientFrame: (components['schemas']["MessageFrame"] | components['schemas']["InterruptFrame"] | components['schemas']["PingFrame"]);
    Completion: { id: string; created: number; model: string; object: "chat.completion"; choices: (components['schemas']["CompletionChoice"])[]; usage: components['schemas']["CompletionUsage"]; everturn: components['schemas']["CompletionPlace"] };
    CompletionAnswer: { role: "assistant"; content: string; refusal: (string | null) };
    CompletionChoice: { index: number; message: components['schemas']["CompletionAnswer"]; logprobs: (Record<string, unknown> | null); finish_reason: "stop" | "length" };
    CompletionChunk: { id: string; created: number; model: string; object: "chat.completion.chunk"; choices: (components['schemas']["CompletionChunkChoice"])[]; usage?: (components['schemas']["CompletionUsage"] | null); everturn?: components['schemas']["CompletionPlace"] };
    CompletionChunkChoice: { index: number; delta: components['schemas']["CompletionDelta"]; logprobs: (Record<string, unknown> | null); finish_reason: ("stop" | "length" | null) };
    CompletionDelta: { role?: "assistant"; content?: string };
    CompletionInputTokens: { cached_tokens: number };
    CompletionMessage: (components['schemas']["CompletionQuestion"] | components['schemas']["CompletionReply"] | components['schemas']["CompletionToolResult"]);
    CompletionOutputTokens: { reasoning_tokens: number };
    CompletionPlace: { chat_id: string; turn_id: string };
    CompletionQuestion: { role: "system" | "developer" | "user"; content: (string | (components['schemas']["CompletionTextPart"])[]) };
    CompletionReply: { role: "assistant"; content?: ((string | ((components['schemas']["CompletionTextPart"] | components['schemas']["RefusalPart"]))[]) | null); refusal?: (string | null) };
    CompletionRequest: { model: string; messages: (components['schemas']["CompletionMessage"])[]; stream?: (boolean | null); stream_options?: ({ include_usage?: (boolean | null) } | null); n?: (1 | null); tools?: ((unknown)[] | null); functions?: ((unknown)[] | null); response_format?: ({ type: "text" } | null) };
    CompletionTextPart: { type: "text"; text: string };
    CompletionToolResult: { role: "tool" | "function" };
    CompletionUsage: { prompt_tokens: number; completion_tokens: number; total_tokens: number; prompt_tokens_details?: components['schemas']["CompletionInputTokens"]; completion_tokens_details?: components['schemas']["CompletionOutputTokens"] };
    Credentials: { email: string; password: string };
    CurrentUser: { id: string; email: string; full_name: string; is_managed: boolean; active_org_id: (string | null); orgs: (components['schemas']["OwnMembership"])[]; created_at: string; updated_at: string };
    CurrentUserUpdate: { full_name?: string; password?: string; current_password?: string };
    DefinitionFile: { path: string; bytes: number; created_at: string; updated_at: string; content: string };
    DefinitionFileItem: { path: string; bytes: number; created_at: string; updated_at: string };
    DefinitionFileWrite: { content: string };
    DeliveryEvent: "message.created" | "run.ended";
    DeliveryStatus: "pending" | "delivered" | "failed";
    Device: { id: string; org_id: string; user_id: string; name: string; platform: string; last_used_at: (string | null); expires_at: string; created_at: string; updated_at: string };
    EditableApproval: { id: string; chat_id: string; turn_id: (string | null); call_id: (string | null); workflow_id: (string | null); run_id: (string | null); step: (string | null); user_id: string; other_person: boolean; agent_id: string; agent_name: string; tool: (string | null); label: string; arguments: Record<string, unknown>; edited_arguments: (Record<string, unknown> | null); details: (components['schemas']["ApprovalDetail"])[]; status: components['schemas']["ApprovalStatus"]; requested_at: string; expires_at: string; decided_by: (string | null); decider_name: (string | null); decided_at: (string | null); note: (string | null); parameters: (Record<string, unknown> | null) };
    EmailChange: { email: string; current_password: string };
    ErrorFrame: { type: "error"; message: string };
    ErrorFrameV1: { type: "error"; message: string; turn_id: (string | null); request: ("message" | "interrupt" | null); client_message_id: (string | null) };
    EventsErrorFrame: { type: "error"; message: string };
    EventsPingFrame: { type: "ping" };
    EventsPongFrame: { type: "pong" };
    FinalApprovalStatus: "approved" | "denied" | "expired" | "cancelled" | "outdated";
    FoundPassage: { knowledge_base_id: string; knowledge_base_name: string; document_id: string; document_title: string; source: "text" | "file" | "upload" | "url"; url: (string | null); file_id: (string | null); position: number; heading: string; start: number; end: number; text: string; score: number; found_by: ("words" | "meaning")[] };
    FoundPassages: { results: (components['schemas']["FoundPassage"])[]; query: string; searched_by: ("words" | "meaning")[]; meaning: components['schemas']["SearchByMeaning"] };
    GroupCapabilities: { agent_ids: (string)[]; skill_keys: (string)[]; tool_keys: (string)[]; persona_ids: (string)[]; provider_ids: (string)[]; chain_ids: (string)[]; default_chain_id: (string | null) };
    GroupCapabilitiesUpdate: { agent_ids?: (string)[]; skill_keys?: (string)[]; tool_keys?: (string)[]; persona_ids?: (string)[]; provider_ids?: (string)[]; chain_ids?: (string)[]; default_chain_id?: (string | null) };
    GroupLimits: { token_budget: number; token_window_hours: number; max_concurrent_agents: number; max_provider_accounts: number };
    GroupLimitsUpdate: { token_budget?: number; token_window_hours?: number; max_concurrent_agents?: number; max_provider_accounts?: number };
    Health: { status: "ok" };
    HiddenMarketplaceItem: { slug: string; by: string };
    HostDelivery: Record<string, unknown>;
    HostDeliveryReceipt: { status: "accepted" | "repeated" | "ignored" };
    Installation: { slug: string; version: string; records: (components['schemas']["InstalledRecord"])[] };
    InstalledRecord: { kind: "agent" | "tool" | "skill" | "persona"; id: string; key: string; name: string; outcome: "created" | "updated" | "unchanged" | "kept" };
    Integration: { id: string; owner_id: (string | null); kind: "github" | "gitlab" | "gitea" | "git" | "slack" | "discord" | "telegram" | "ms_teams" | "gmail" | "google_calendar" | "google_drive" | "google_sheets" | "brave" | "tavily" | "exa" | "serper" | "searxng" | "postgres" | "mysql" | "redis" | "s3" | "smtp" | "imap" | "kubernetes" | "pagerduty" | "prometheus" | "sentry" | "jira" | "linear" | "asana" | "confluence" | "notion" | "airtable" | "hubspot" | "stripe" | "http"; name: string; base_url: (string | null); api_url: string; credential_fields: (string)[]; has_credentials: boolean; settings: Record<string, string>; secret_places: ("header" | "query" | "path" | "body")[]; command_variables: Record<string, string>; test_request: ({ path: string; headers?: Record<string, string>; query?: Record<string, string> } | null); status: "unchecked" | "working" | "failing"; checked_at: (string | null); signed_in_at: (string | null); used_at: (string | null); error: (string | null); account: (string | null); created_at: string; updated_at: string };
    IntegrationCreate: { kind: "github" | "gitlab" | "gitea" | "git" | "slack" | "discord" | "telegram" | "ms_teams" | "gmail" | "google_calendar" | "google_drive" | "google_sheets" | "brave" | "tavily" | "exa" | "serper" | "searxng" | "postgres" | "mysql" | "redis" | "s3" | "smtp" | "imap" | "kubernetes" | "pagerduty" | "prometheus" | "sentry" | "jira" | "linear" | "asana" | "confluence" | "notion" | "airtable" | "hubspot" | "stripe" | "http"; name: string; base_url?: (string | null); settings?: Record<string, string>; secret_places?: ("header" | "query" | "path" | "body")[]; command_variables?: Record<string, string>; test_request?: (components['schemas']["IntegrationProbe"] | null); credentials?: Record<string, string> };
    IntegrationKindDetails: { kind: "github" | "gitlab" | "gitea" | "git" | "slack" | "discord" | "telegram" | "ms_teams" | "gmail" | "google_calendar" | "google_drive" | "google_sheets" | "brave" | "tavily" | "exa" | "serper" | "searxng" | "postgres" | "mysql" | "redis" | "s3" | "smtp" | "imap" | "kubernetes" | "pagerduty" | "prometheus" | "sentry" | "jira" | "linear" | "asana" | "confluence" | "notion" | "airtable" | "hubspot" | "stripe" | "http"; name: string; description: string; base_url: (string | null); requires_base_url: boolean; schemes: (string)[]; fields: ({ name: string; description: string; is_optional: boolean; format: "token" | "text" | "document" | "address" | "google_key_file" | "kubeconfig"; is_secret: boolean })[]; alternatives: ((string)[])[]; combinable: (string)[]; settings: ({ name: string; description: string; is_optional: boolean; values: ((string)[] | null) })[]; oauth: ({ redirect_url: string; scopes: ({ name: string; description: string; is_usual: boolean })[] } | null); tools: (string)[]; takes_own_fields: boolean; secret_places: ("header" | "query" | "path" | "body")[]; takes_test_request: boolean };
    IntegrationProbe: { path: string; headers?: Record<string, string>; query?: Record<string, string> };
    IntegrationSignIn: { authorize_url: string; expires_at: string };
    IntegrationSignInStart: { scopes?: (string)[] };
    IntegrationSignInStatus: { status: "waiting" | "verifying" | "done" | "failed" | "expired"; detail: (string | null); expires_at: (string | null) };
    IntegrationTest: { ok: boolean; latency_ms: (number | null); account: (string | null); error: (string | null) };
    IntegrationUpdate: { name?: string; base_url?: (string | null); settings?: Record<string, string>; secret_places?: ("header" | "query" | "path" | "body")[]; command_variables?: Record<string, string>; test_request?: (components['schemas']["IntegrationProbe"] | null); credentials?: Record<string, string> };
    Interrupt: { turn_id: (string | null) };
    InterruptFrame: { type: "interrupt" };
    Invite: { id: string; role: "viewer" | "member" | "admin"; email: (string | null); full_name: (string | null); created_by: string; created_at: string; updated_at: string; expires_at: string };
    InviteAcceptance: { token: string };
    InviteCreate: { role: "viewer" | "member" | "admin"; email?: (string | null); full_name?: (string | null) };
    InviteRedemption: { token: string; device_name: string; platform: string };
    InviteWithToken: { id: string; role: "viewer" | "member" | "admin"; email: (string | null); full_name: (string | null); created_by: string; created_at: string; updated_at: string; expires_at: string; token: string; invite_path: string; cli_install_sh?: string; cli_install_ps?: string };
    Issue: { id: string; project_id: string; number: number; title: string; description: string; priority: components['schemas']["Priority"]; labels: (string)[]; assigned_agent_id: (string | null); assigned_user_id: (string | null); status: components['schemas']["IssueStatus"]; assigned_agent_name: (string | null); assigned_user_name: (string | null); user_id: (string | null); user_name: (string | null); agent_id: (string | null); agent_name: (string | null); remote: (components['schemas']["RemoteIssue"] | null); created_at: string; updated_at: string };
    IssueComment: { id: string; issue_id: string; content: string; user_id: (string | null); user_name: (string | null); agent_id: (string | null); agent_name: (string | null); remote: (components['schemas']["RemoteComment"] | null); created_at: string; updated_at: string };
    IssueCommentCreate: { content: string };
    IssueCommentUpdate: { content?: string };
    IssueCreate: { project_id: string; title: string; description?: string; priority?: components['schemas']["Priority"]; labels?: (string)[]; assigned_agent_id?: (string | null); assigned_user_id?: (string | null) };
    IssueStatus: "backlog" | "todo" | "in_progress" | "in_review" | "done" | "cancelled";
    IssueSync: { id: string; project_id: string; user_id: (string | null); status: "queued" | "running" | "waiting" | "completed" | "failed"; created: number; updated: number; total: number; comments: number; skipped: number; error: (string | null); waiting_until: (string | null); started_at: (string | null); completed_at: (string | null); created_at: string };
    IssueSyncConflict: { field: "title" | "description" | "labels"; here: (string | (string)[]) };
    IssueUpdate: { title?: string; description?: string; priority?: components['schemas']["Priority"]; labels?: (string)[]; assigned_agent_id?: (string | null); assigned_user_id?: (string | null); status?: components['schemas']["IssueStatus"] };
    JoinedFrame: { type: "joined"; turn_id: (string | null); newest_message_id: (string | null); steps: (components['schemas']["StepFrameV1"])[] };
    KeptMarketplaceRecord: { kind: "agent" | "tool" | "skill" | "persona"; key: string };
    KeyReference: { key: string; name: string };
    KnowledgeBase: { id: string; name: string; description: string; documents: number; passages: number; bytes: number; embedding_model: string; embedding: components['schemas']["KnowledgeBaseEmbedding"]; created_at: string; updated_at: string };
    KnowledgeBaseCreate: { name: string; description?: string; embedding_model?: string };
    KnowledgeBaseEmbedding: { status: "off" | "working" | "waiting" | "ready"; model: (string | null); dimensions: (number | null); passages: number; tokens: number; cost: (number | null); error: (string | null) };
    KnowledgeBaseUpdate: { name?: string; description?: string; embedding_model?: string };
    KnowledgeDocument: { id: string; knowledge_base_id: string; user_id: (string | null); title: string; source: "text" | "file" | "upload" | "url"; url: (string | null); file_id: (string | null); tags: (string)[]; status: "pending" | "processing" | "ready" | "failed"; error: (string | null); characters: (number | null); passages: number; created_at: string; updated_at: string };
    KnowledgeDocumentCreate: { title?: string; tags?: (string)[]; text?: string; file_id?: string; url?: string };
    LeftOutDefaults: { tools: (components['schemas']["UnusableDefinition"])[]; skills: (components['schemas']["UnusableDefinition"])[] };
    LinkedPassword: { token: string; password: string };
    ListedRun: { id: string; kind: components['schemas']["RunKind"]; workflow_id: (string | null); schedule_id: (string | null); name: string; agent_ids: (string)[]; chat_id: (string | null); turn_id: (string | null); user_id: string; status: components['schemas']["RunStatus"]; triggered_by: components['schemas']["RunTrigger"]; slot: (string | null); step_count: number; step: number; error: (string | null); usage: components['schemas']["ListedRunUsage"]; started_at: (string | null); completed_at: (string | null); created_at: string; updated_at: string };
    ListedRunUsage: { input_tokens: number; output_tokens: number };
    MarketplaceDifferences: { slug: string; version: string; files: (components['schemas']["MarketplaceFileDifference"])[]; uncompared: (components['schemas']["UncomparedMarketplaceRecord"])[] };
    MarketplaceFileDifference: { kind: "agent" | "tool" | "skill" | "persona"; key: string; path: string; is_foreign: boolean; difference: (string | null); note: (string | null) };
    MarketplaceIndex: { source: string; item_count: number; fetched_at: (string | null); checked_at: (string | null); next_check_at: (string | null); error: (string | null); refused: (components['schemas']["RefusedMarketplaceItem"])[]; hidden: (components['schemas']["HiddenMarketplaceItem"])[] };
    MarketplaceInstall: ({ version: string; source: string; created_at: string; updated_at: string; can_upgrade: boolean; kept: (components['schemas']["KeptMarketplaceRecord"])[] } | null);
    MarketplaceItem: { slug: string; name: string; kind: "agent" | "skill" | "tool" | "persona" | "bundle"; version: string; summary: string; tags: (string)[]; source: string; installed: components['schemas']["MarketplaceInstall"] };
    MarketplaceItemDetails: { slug: string; name: string; kind: "agent" | "skill" | "tool" | "persona" | "bundle"; version: string; summary: string; tags: (string)[]; source: string; installed: components['schemas']["MarketplaceInstall"]; readme: string; contains: (components['schemas']["MarketplaceItemPart"])[]; files: (components['schemas']["MarketplaceItemFile"])[]; needs: components['schemas']["MarketplaceItemNeeds"] };
    MarketplaceItemFile: { path: string; content: string };
    MarketplaceItemNeeds: { tools: (components['schemas']["MarketplaceItemTool"])[]; skills: (string)[]; credentials: (string)[]; providers: (string)[] };
    MarketplaceItemPart: { kind: "agent" | "tool" | "skill" | "persona"; key: string; name: string; description: string };
    MarketplaceItemTool: { key: string; is_available: boolean };
    McpAnswer: { jsonrpc: "2.0"; id?: ((string | number) | null); result?: Record<string, unknown>; error?: components['schemas']["McpError"] };
    McpConnectionSettings: { headers?: Record<string, string>; timeout_seconds?: number; transport?: "auto" | "http" | "sse"; oauth?: components['schemas']["McpOAuthClient"] };
    McpError: { code: number; message: string };
    McpFailure: { jsonrpc: "2.0"; id: (string | number | null); error: components['schemas']["McpFailureDetails"] };
    McpFailureDetails: { code: number; message: string };
    McpMessage: { jsonrpc: "2.0"; id?: ((string | number) | null); method?: string; params?: Record<string, unknown> };
    McpOAuthClient: { grant?: "client_credentials" | "authorization_code"; client_id?: string; issuer?: string; scope?: string };
    McpProgram: { url: string; name: string; description: string; takes_secret: boolean; network: boolean; available: boolean; reason: (string | null) };
    McpServer: { id: string; owner_id: (string | null); name: string; description: (string | null); url: string; config: Record<string, unknown>; trusted: boolean; auth_type: "none" | "bearer" | "header" | "oauth"; has_credentials: boolean; signed_in_at: (string | null); tool_count: number; tools_fetched_at: (string | null); fetch_error: (string | null); left_out: (components['schemas']["McpToolLeftOut"])[]; fetch_changes: (components['schemas']["McpToolChanges"] | null); changed_tools: (string)[]; created_at: string; updated_at: string };
    McpServerCreate: { name: string; description?: (string | null); url: string; config?: components['schemas']["McpConnectionSettings"]; trusted?: boolean; auth_type?: "none" | "bearer" | "header" | "oauth"; auth_value?: (string | null) };
    McpServerUpdate: { name?: string; description?: (string | null); url?: string; config?: components['schemas']["McpConnectionSettings"]; trusted?: boolean; auth_type?: "none" | "bearer" | "header" | "oauth"; auth_value?: (string | null) };
    McpSignIn: { auth_url: string };
    McpSignInFinish: { callback_url: string };
    McpTool: { name: string; description: string; input_schema: Record<string, unknown>; effect: "read" | "keyed" | "once"; annotations: Record<string, unknown>; change: ("added" | "changed" | null) };
    McpToolChanges: { added: (string)[]; changed: (string)[]; removed: (string)[] };
    McpToolLeftOut: { name: string; reason: string };
    Member: { user_id: string; email: string; full_name: string; role: components['schemas']["Role"]; is_managed: boolean; joined_at: string };
    MemberApiKey: { id: string; org_id: string; name: string; hint: (string | null); made_by: "sign_in" | "device" | "unknown"; created_at: string; updated_at: string; last_used_at: (string | null); expires_at: (string | null); user_id: string; email: string };
    MemberBudgets: { user_id: string; email: string; full_name: string; role: components['schemas']["Role"]; groups: (components['schemas']["RecordReference"])[]; budgets: (components['schemas']["BudgetUse"])[]; is_blocked: boolean; available_at: (string | null) };
    MemberUpdate: { role: components['schemas']["Role"] };
    MemoryCreate: { type?: "fact" | "instruction" | "context" | "example"; content: string; tags?: (string)[]; priority?: number };
    MemoryUpdate: { type?: "fact" | "instruction" | "context" | "example"; content?: string; tags?: (string)[]; priority?: number };
    Message: { id: string; chat_id: string; turn_id: string; client_message_id: (string | null); role: "user" | "assistant"; content: string; file_ids: (string)[]; metadata_: components['schemas']["MessageMetadata"]; provider_used: (string | null); agent_id: (string | null); agent_name: (string | null); user_id: (string | null); user_name: (string | null); excluded: boolean; created_at: string; updated_at: string };
    MessageCreate: { content: string; client_message_id?: (string | null); file_ids?: (string)[] };
    MessageExclusion: { excluded: boolean; from_here_on?: boolean };
    MessageFrame: { type: "message"; content: string; client_message_id?: (string | null); file_ids?: ((string)[] | null) };
    MessageMetadata: { status?: components['schemas']["TurnStatus"]; turn_id?: string; tool_call_count?: number; tool_calls_detail?: (components['schemas']["ToolCall"])[]; sub_agents?: (components['schemas']["SubAgent"])[]; task?: components['schemas']["ReportedTask"]; usage?: components['schemas']["Usage"]; usage_estimated?: boolean; model?: (string | null); provider_account_id?: (string | null); context_tokens?: (number | null); context_window?: (number | null); duration_ms?: number; finish_reason?: string; imported?: boolean; withdrawn?: boolean; error?: string };
    MessageText: { content: string };
    MissingMcpTools: { server_id: string; tools: (string)[] };
    MissingReferences: { tools: (string)[]; unusable_tools: (components['schemas']["UnusableDefinition"])[]; skills: (string)[]; unusable_skills: (components['schemas']["UnusableDefinition"])[]; persona_id: (string | null); mcp_servers: (string)[]; mcp_tools: (components['schemas']["MissingMcpTools"])[]; model_profile: (string | null) };
    ModelProfile: { id: string; owner_id: (string | null); name: string; description: string; provider_type: (string | null); model_name: (string | null); provider_chain_id: (string | null); tags: (string)[]; priority: number; created_at: string; updated_at: string };
    ModelProfileCreate: { name: string; description?: string; provider_type?: (string | null); model_name?: (string | null); provider_chain_id?: (string | null); tags?: (string)[]; priority?: number };
    ModelProfileUpdate: { name?: string; description?: string; provider_type?: (string | null); model_name?: (string | null); provider_chain_id?: (string | null); tags?: (string)[]; priority?: number };
    OpenAiError: { error: components['schemas']["OpenAiErrorDetails"] };
    OpenAiErrorDetails: { type: string; message: string; param: (string | null); code: (string | null) };
    Organization: { id: string; name: string; icon: string; color: string; approvals_other_person: boolean; role: components['schemas']["Role"]; created_at: string; updated_at: string };
    OrganizationClientFrame: (components['schemas']["EventsPingFrame"] | components['schemas']["CatchUpFrame"]);
    OrganizationCreate: { name: string; icon?: string; color?: string };
    OrganizationFrame: (components['schemas']["ResyncFrame"] | components['schemas']["ChangedFrame"] | components['schemas']["EventsErrorFrame"] | components['schemas']["EventsPongFrame"]);
    OrganizationUpdate: { name?: string; icon?: string; color?: string; approvals_other_person?: boolean };
    OwnMembership: { id: string; name: string; role: components['schemas']["Role"] };
    OwnPermissions: { role: components['schemas']["Role"]; is_restricted: boolean; permissions: (components['schemas']["PermissionKey"])[]; limits: components['schemas']["GroupLimits"]; capabilities: components['schemas']["GroupCapabilities"]; groups: (components['schemas']["RecordReference"])[]; usage: components['schemas']["OwnUsage"] };
    OwnUsage: { budgets: (components['schemas']["BudgetUse"])[]; is_blocked: boolean; available_at: (string | null); running_agents: number; provider_accounts: number };
    PasswordLink: { token: string; password_path: string; expires_at: string };
    PermissionCatalogEntry: { key: components['schemas']["PermissionKey"]; area: string; label: string; implies: (components['schemas']["PermissionKey"])[]; reserved: boolean };
    PermissionGroup: { id: string; name: string; description: string; permissions: (components['schemas']["PermissionKey"])[]; limits: components['schemas']["GroupLimits"]; capabilities: components['schemas']["GroupCapabilities"]; user_ids: (string)[]; created_at: string; updated_at: string };
    PermissionGroupCreate: { name: string; description?: string; permissions?: (components['schemas']["PermissionKey"])[]; limits?: components['schemas']["GroupLimitsUpdate"]; capabilities?: components['schemas']["GroupCapabilitiesUpdate"] };
    PermissionGroupMembers: { user_ids: (string)[] };
    PermissionGroupUpdate: { name?: string; description?: string; permissions?: (components['schemas']["PermissionKey"])[]; limits?: components['schemas']["GroupLimitsUpdate"]; capabilities?: components['schemas']["GroupCapabilitiesUpdate"] };
    PermissionKey: "agents.view" | "agents.manage" | "personas.view" | "personas.manage" | "skills.view" | "skills.manage" | "tools.view" | "tools.manage" | "mcp_servers.view" | "mcp_servers.manage" | "knowledge_bases.view" | "knowledge_bases.manage" | "memory.view" | "memory.manage" | "projects.view" | "projects.manage" | "tasks.view" | "tasks.manage" | "issues.view" | "issues.manage" | "proposals.view" | "proposals.manage" | "approvals.view" | "approvals.manage" | "schedules.view" | "schedules.manage" | "channels.view" | "channels.manage" | "providers.view" | "providers.manage" | "integrations.view" | "integrations.manage" | "marketplace.view" | "marketplace.manage" | "webhooks.view" | "webhooks.manage" | "settings.view" | "settings.manage" | "ui.advanced_mode" | "chats.view_shared";
    Persona: { id: string; owner_id: (string | null); origin: "builtin" | "custom" | "marketplace"; slug: (string | null); overrides: boolean; overridden_by: (string | null); created_at: string; updated_at: string; key: string; name: string; description: string; version: string; icon: string; system_prompt: string; soul: Record<string, unknown>; default_skills: (string)[]; default_tools: (string)[] };
    PersonaCreate: { key: string; name: string; description?: string; version?: string; icon?: string; system_prompt?: string; soul?: Record<string, unknown>; default_skills?: (string)[]; default_tools?: (string)[] };
    PersonaType: { key: string; name: string; description: string; icon: string; system_prompt: string; soul: Record<string, unknown>; default_skills: (string)[]; default_tools: (string)[] };
    PersonaUpdate: { key?: string; name?: string; description?: string; version?: string; icon?: string; system_prompt?: string; soul?: Record<string, unknown>; default_skills?: (string)[]; default_tools?: (string)[] };
    PingFrame: { type: "ping" };
    PongFrame: { type: "pong" };
    Priority: "low" | "medium" | "high" | "urgent";
    Problem: { detail: (string | (components['schemas']["ValidationIssue"])[]) };
    Project: { id: string; owner_id: (string | null); name: string; description: string; repo_url: string; repo_type: "" | "github" | "gitlab" | "gitea"; integration_id: (string | null); sync_direction: "pull" | "both"; provider_chain_id: (string | null); integration_error: (string | null); repo_status: "none" | "pending" | "ready" | "empty" | "failed"; repo_error: (string | null); repo_fetched_at: (string | null); repo_branch: (string | null); repo_commit: (string | null); agent_ids: (string)[]; webhook_url: (string | null); has_webhook_secret: boolean; created_at: string; updated_at: string; deleted_at: (string | null); deleted_by: (string | null) };
    ProjectAgent: { id: string; name: string; description: string; agent_type: string; is_active: boolean; open_turns: number; activity: (components['schemas']["AgentActivity"])[] };
    ProjectAgentsSet: { agent_ids: (string)[] };
    ProjectCreate: { name: string; description?: string; repo_url?: string; repo_type?: "" | "github" | "gitlab" | "gitea"; integration_id?: (string | null); sync_direction?: "pull" | "both"; provider_chain_id?: (string | null); agent_ids?: (string)[]; webhook_secret?: (string | null) };
    ProjectLogEntry: { id: string; project_id: string; user_id: (string | null); user_name: (string | null); agent_id: (string | null); agent_name: (string | null); action: "created" | "updated" | "deleted" | "restored" | "assigned" | "shared" | "made_private" | "synced"; record_type: "project" | "issue" | "comment" | "task" | "chat"; record_id: string; title: (string | null); changes: Record<string, { from: (string | (string)[] | null); to: (string | (string)[] | null) }>; created_at: string };
    ProjectUpdate: { name?: string; description?: string; repo_url?: string; repo_type?: "" | "github" | "gitlab" | "gitea"; integration_id?: (string | null); sync_direction?: "pull" | "both"; provider_chain_id?: (string | null); agent_ids?: (string)[]; webhook_secret?: (string | null) };
    Provider: { id: string; owner_id: (string | null); provider_type: string; name: string; auth_type: "apikey" | "oauth" | "none"; model_name: (string | null); base_url: (string | null); cooldown_seconds: number; shared: boolean; has_credentials: boolean; status: "active" | "cooling_down" | "disabled"; cooldown_until: (string | null); disabled_reason: (string | null); last_used_at: (string | null); last_failure: (string | null); last_failed_at: (string | null); created_at: string; updated_at: string; deleted_at: (string | null); deleted_by: (string | null) };
    ProviderChain: { id: string; owner_id: (string | null); name: string; is_default: boolean; steps: (components['schemas']["ProviderChainStep"])[]; created_at: string; updated_at: string };
    ProviderChainCreate: { name: string; is_default?: boolean; steps: (components['schemas']["ProviderChainStepCreate"])[] };
    ProviderChainStep: { provider_type: string; model_name: (string | null) };
    ProviderChainStepCreate: { provider_type: string; model_name?: (string | null) };
    ProviderChainUpdate: { name?: string; is_default?: boolean; steps?: (components['schemas']["ProviderChainStepCreate"])[] };
    ProviderCreate: { provider_type: string; name: string; auth_type?: "apikey" | "oauth" | "none"; model_name?: (string | null); base_url?: (string | null); cooldown_seconds?: number; shared?: boolean; credentials?: Record<string, unknown>; test?: boolean };
    ProviderCredentialForm: { key: "api_key" | "access_token" | "aws_keys" | "service_account"; name: string; entries: ({ name: string; description: string; is_optional: boolean; format: "token" | "region" | "google_key_file"; is_secret: boolean })[] };
    ProviderModel: { id: string; name: (string | null) };
    ProviderSignIn: { provider: string; account_name: string; status: "pending" | "awaiting_code" | "verifying" | "ready" | "failed" | "expired"; detail: (string | null); auth_url: (string | null); user_code: (string | null); expires_at: string; notice: string };
    ProviderSignInCode: { code: string };
    ProviderSignInCompletion: { provider_type?: string; account_name?: string };
    ProviderSignInStart: { provider_type: string; account_name: string };
    ProviderTest: { ok: boolean; latency_ms: (number | null); model: (string | null); error: (string | null) };
    ProviderUpdate: { name?: string; auth_type?: "apikey" | "oauth" | "none"; model_name?: (string | null); base_url?: (string | null); cooldown_seconds?: number; shared?: boolean; credentials?: Record<string, unknown> };
    Readiness: { status: "ready"; engine: "reachable" | "away" };
    RecordReference: { id: string; name: string };
    Redeemed: { access_token: string; device_token: string; api_key: string; org_id: string; org_name: string; user_id: string; created_account: boolean };
    RefreshToken: { refresh_token: string };
    RefusalPart: { type: "refusal"; refusal: string };
    RefusedMarketplaceItem: { item: string; reason: string };
    Registration: { email: string; password: string; full_name?: (string | null); invite_token?: (string | null); setup_token?: (string | null) };
    RemoteComment: { author: (string | null); url: (string | null) };
    RemoteIssue: { number: number; url: (string | null); author: (string | null); state: "open" | "done" | "dropped"; changed_at: string; synced_at: string; conflicts: ((components['schemas']["IssueSyncConflict"])[] | null); conflicted_at: (string | null); push_error: (string | null) };
    ReportedTask: { id: string; title: string; status: string };
    ResyncFrame: { type: "resync" };
    Role: "viewer" | "member" | "admin" | "owner";
    RunKind: "workflow" | "schedule";
    RunStatus: "queued" | "running" | "waiting" | "completed" | "failed" | "interrupted";
    RunTrigger: "manual" | "webhook" | "schedule" | "agent";
    RunUsage: { input_tokens: number; output_tokens: number };
    Schedule: { id: string; org_id: string; owner_id: (string | null); name: string; description: (string | null); cron_expr: (string | null); interval_minutes: (number | null); agent_id: (string | null); prompt: string; timezone: string; overlap: components['schemas']["ScheduleOverlap"]; catchup_minutes: number; jitter_seconds: number; pause_on_failure: boolean; start_at: (string | null); end_at: (string | null); max_runs: (number | null); keep_runs_days: number; is_active: boolean; pause_reason: (string | null); next_run_at: (string | null); last_run: (components['schemas']["ScheduleLastRun"] | null); notify_url: (string | null); has_notify_secret: boolean; notify_status: ("active" | "paused" | null); notify_pause_reason: (string | null); created_at: string; updated_at: string };
    ScheduleBackfill: { from: string; to: string };
    ScheduleBackfilled: { created: number; skipped: number };
    ScheduleCreate: { name: string; description?: (string | null); cron_expr?: (string | null); interval_minutes?: (number | null); agent_id?: (string | null); prompt: string; timezone?: string; overlap?: components['schemas']["ScheduleOverlap"]; catchup_minutes?: number; jitter_seconds?: number; pause_on_failure?: boolean; start_at?: (string | null); end_at?: (string | null); max_runs?: (number | null); keep_runs_days?: number; is_active?: boolean; notify_url?: (string | null); notify_secret?: (string | null) };
    ScheduleLastRun: { id: string; status: components['schemas']["ScheduleRunStatus"]; started_at: (string | null); completed_at: (string | null) };
    ScheduleNextTimes: { times: (string)[] };
    ScheduleOverlap: "skip" | "buffer_one" | "allow_all" | "cancel_other";
    ScheduleRun: { id: string; schedule_id: string; org_id: string; chat_id: (string | null); user_id: string; status: components['schemas']["ScheduleRunStatus"]; triggered_by: components['schemas']["ScheduleRunTrigger"]; slot: (string | null); prompt: string; output: string; error: (string | null); usage: components['schemas']["ScheduleRunUsage"]; started_at: (string | null); completed_at: (string | null); created_at: string };
    ScheduleRunStatus: "running" | "completed" | "failed";
    ScheduleRunTrigger: "cron" | "manual" | "agent";
    ScheduleRunUsage: { input_tokens: number; output_tokens: number };
    ScheduleUpdate: { name?: string; description?: (string | null); cron_expr?: (string | null); interval_minutes?: (number | null); agent_id?: (string | null); prompt?: string; timezone?: string; overlap?: components['schemas']["ScheduleOverlap"]; catchup_minutes?: number; jitter_seconds?: number; pause_on_failure?: boolean; start_at?: (string | null); end_at?: (string | null); max_runs?: (number | null); keep_runs_days?: number; notify_url?: (string | null); notify_secret?: (string | null) };
    SearchByMeaning: { search: "exact" | "off"; compared: number; passages: number; reason: (string | null) };
    SearchResult: { chat_id: string; chat_title: string; message_id: string; excerpt: string; role: "user" | "assistant"; created_at: string };
    SearchResults: { results: (components['schemas']["SearchResult"])[]; total: number; query: string };
    Server: { version: string; registration: "open" | "invite" | "closed"; has_accounts: boolean; needs_setup_token: boolean };
    ServerFrame: (components['schemas']["ChunkFrame"] | components['schemas']["StreamEndFrame"] | components['schemas']["ErrorFrame"] | components['schemas']["PongFrame"] | components['schemas']["SubAgentStartFrame"] | components['schemas']["StepStartFrame"] | components['schemas']["StepDoneFrame"] | components['schemas']["SubAgentDoneFrame"] | components['schemas']["ApprovalRequestedFrame"] | components['schemas']["ApprovalDecidedFrame"]);
    ServerFrameV1: (components['schemas']["JoinedFrame"] | components['schemas']["AcceptedFrame"] | components['schemas']["ChunkFrameV1"] | components['schemas']["StreamEndFrameV1"] | components['schemas']["ErrorFrameV1"] | components['schemas']["PongFrame"] | components['schemas']["StepStartFrameV1"] | components['schemas']["StepDoneFrameV1"] | components['schemas']["SubAgentStartFrameV1"] | components['schemas']["SubAgentDoneFrameV1"] | components['schemas']["ApprovalRequestedFrameV1"] | components['schemas']["ApprovalDecidedFrameV1"]);
    Session: { id: string; is_current: boolean; user_agent: (string | null); ip_address: (string | null); expires_at: string; created_at: string; updated_at: string };
    ShownCliInvite: { org_name: string; role: "viewer" | "member" | "admin"; email: (string | null) };
    ShownInvite: { org_name: string; role: "viewer" | "member" | "admin" };
    SignIn: { access_token: string; token_type: "bearer"; expires_in: number; refresh_token: string; user: components['schemas']["CurrentUser"] };
    Skill: { id: string; owner_id: (string | null); origin: "builtin" | "custom" | "marketplace"; slug: (string | null); overrides: boolean; overridden_by: (string | null); created_at: string; updated_at: string; key: string; name: string; description: string; version: string; category: components['schemas']["SkillCategory"]; usable: boolean; problem: (string | null) };
    SkillCategory: "development" | "research" | "writing" | "data" | "operations" | "communication" | "orchestration" | "files" | "web" | "platform" | "custom";
    SkillCreate: { key: string; name: string; description?: string; version?: string; category: components['schemas']["SkillCategory"] };
    SkillUpdate: { key?: string; name?: string; description?: string; version?: string; category?: components['schemas']["SkillCategory"] };
    StartedRun: { run_id: string };
    StepDoneFrame: { type: "sub_agent_step_done"; task_id: string; step_id: string; status: components['schemas']["CallStatus"] };
    StepDoneFrameV1: { type: "sub_agent_step_done"; task_id: string; step_id: string; status: components['schemas']["CallStatus"]; turn_id: string };
    StepFrameV1: (components['schemas']["StepStartFrameV1"] | components['schemas']["StepDoneFrameV1"] | components['schemas']["SubAgentStartFrameV1"] | components['schemas']["SubAgentDoneFrameV1"] | components['schemas']["ApprovalRequestedFrameV1"] | components['schemas']["ApprovalDecidedFrameV1"]);
    StepStartFrame: { type: "sub_agent_step_start"; task_id: string; step_id: string; step_name: string; step_label: string };
    StepStartFrameV1: { type: "sub_agent_step_start"; task_id: string; step_id: string; step_name: string; step_label: string; turn_id: string; text_offset?: number };
    StreamEnd: { message: components['schemas']["Message"] };
    StreamEndFrame: { type: "stream_end"; message_id: string; content: string; metadata: components['schemas']["MessageMetadata"]; created_at: string };
    StreamEndFrameV1: { type: "stream_end"; message_id: string; content: string; metadata: components['schemas']["MessageMetadata"]; created_at: string; turn_id: string; provider_used: (string | null); agent_id: (string | null); agent_name: (string | null) };
    StreamError: { message: string };
    StreamStart: { chat_id: string; turn_id: string; message_id: string };
    SubAgent: { task_id: string; agent_id: (string | null); agent_name: string; task_title: string; sub_chat_id: string; status: components['schemas']["TurnStatus"]; output: string; usage: components['schemas']["Usage"] };
    SubAgentDoneFrame: { type: "sub_agent_done"; task_id: string; agent_name: string; output: string; usage: components['schemas']["Usage"]; status: components['schemas']["TurnStatus"] };
    SubAgentDoneFrameV1: { type: "sub_agent_done"; task_id: string; agent_name: string; output: string; usage: components['schemas']["Usage"]; status: components['schemas']["TurnStatus"]; turn_id: string };
    SubAgentStartFrame: { type: "sub_agent_start"; task_id: string; agent_name: string; task_title: string; sub_chat_id: string };
    SubAgentStartFrameV1: { type: "sub_agent_start"; task_id: string; agent_name: string; task_title: string; sub_chat_id: string; turn_id: string; text_offset?: number; step_id: string; parent_id: string };
    Task: { id: string; chat_id: string; title: string; description: string; assigned_agent_id: (string | null); priority: components['schemas']["Priority"]; status: components['schemas']["TaskStatus"]; position: string; depends_on: (string)[]; waits_for: (string)[]; output: (string | null); error: (string | null); attempts: number; sub_chat_id: (string | null); parent_turn_id: (string | null); issue_id: (string | null); parent_task_id: (string | null); created_by: (string | null); created_at: string; updated_at: string; started_at: (string | null); ended_at: (string | null) };
    TaskCreate: { chat_id: string; title: string; description?: string; assigned_agent_id?: (string | null); priority?: components['schemas']["Priority"]; depends_on?: (string)[]; issue_id?: (string | null); parent_task_id?: (string | null) };
    TaskStatus: "pending" | "in_progress" | "completed" | "failed" | "interrupted" | "cancelled";
    TaskUpdate: { title?: string; description?: string; assigned_agent_id?: (string | null); priority?: components['schemas']["Priority"]; depends_on?: (string)[]; output?: string; status?: components['schemas']["TaskStatus"]; position?: string };
    Tokens: { access_token: string; token_type: "bearer"; expires_in: number; refresh_token: string };
    Tool: { id: string; owner_id: (string | null); origin: "builtin" | "custom" | "marketplace"; slug: (string | null); overrides: boolean; overridden_by: (string | null); created_at: string; updated_at: string; key: string; name: string; description: string; version: string; category: components['schemas']["ToolCategory"]; usable: boolean; problem: (string | null); available: boolean; reason: (string | null); only_in_chats: boolean };
    ToolCall: { id: string; name: string; arguments: Record<string, unknown>; status: components['schemas']["CallStatus"]; result: string; started_at: (string | null); ended_at: (string | null); offset?: number };
    ToolCallProgress: { step_id: string; name: string; label: string; status: ("running" | components['schemas']["CallStatus"]) };
    ToolCategory: "filesystem" | "shell" | "git" | "github" | "gitlab" | "web" | "communication" | "project-management" | "knowledge" | "data" | "cloud" | "devops" | "documents" | "media" | "business" | "platform" | "planning" | "utility" | "custom";
    ToolCreate: { key: string; name: string; description?: string; version?: string; category?: components['schemas']["ToolCategory"] };
    ToolTest: { arguments?: Record<string, unknown> };
    ToolTestResult: { status: "success" | "error" | "unknown"; result: unknown; logs: (string)[]; duration_ms: number };
    ToolUpdate: { key?: string; name?: string; description?: string; version?: string; category?: components['schemas']["ToolCategory"] };
    Trace: { turn: components['schemas']["Turn"]; steps: (components['schemas']["TraceStep"])[]; is_cut: boolean; working_ms: number; usage_in_all: components['schemas']["TraceTokens"] };
    TraceApproval: { id: string; parent_id: (string | null); started_at: (string | null); ended_at: (string | null); kind: "approval"; approval_id: string; status: "pending" | "approved" | "denied" | "expired" | "cancelled" | "outdated"; expires_at: string; decider_name: (string | null); note: (string | null) };
    TraceAttempt: { id: string; parent_id: (string | null); started_at: (string | null); ended_at: (string | null); kind: "attempt"; step: number; status: "running" | "lost" | "released" };
    TraceBlocked: { id: string; parent_id: (string | null); started_at: (string | null); ended_at: (string | null); kind: "blocked"; reason: string };
    TraceCall: { id: string; parent_id: (string | null); started_at: (string | null); ended_at: (string | null); kind: "call"; step: number; name: string; label: string; effect: "read" | "keyed" | "once" | "agent"; status: "planned" | "running" | "success" | "error" | "unknown" | "interrupted"; tries: number; arguments_excerpt: (string | null); result_excerpt: (string | null); usage: (components['schemas']["TraceTokens"] | null); sub_agent: (components['schemas']["TraceSubAgent"] | null) };
    TraceInterrupt: { id: string; parent_id: (string | null); started_at: (string | null); ended_at: (string | null); kind: "interrupt" };
    TraceLeftOut: { id: string; parent_id: (string | null); started_at: (string | null); ended_at: (string | null); kind: "left_out"; step: number; what: "attempts" | "model_calls"; count: number };
    TraceModelCall: { id: string; parent_id: (string | null); started_at: (string | null); ended_at: (string | null); kind: "model_call"; step: number; account: (string | null); account_id: (string | null); provider_type: (string | null); model: (string | null); first_token_at: (string | null); outcome: "replied" | "stopped" | "failed"; failure: (string | null); reason: (string | null); finish_reason: (string | null); usage: (components['schemas']["TraceTokens"] | null) };
    TraceQueue: { id: string; parent_id: (string | null); started_at: (string | null); ended_at: (string | null); kind: "queue" };
    TraceStep: (components['schemas']["TraceQueue"] | components['schemas']["TraceWait"] | components['schemas']["TraceAttempt"] | components['schemas']["TraceModelCall"] | components['schemas']["TraceLeftOut"] | components['schemas']["TraceBlocked"] | components['schemas']["TraceCall"] | components['schemas']["TraceApproval"] | components['schemas']["TraceInterrupt"]);
    TraceSubAgent: { turn_id: string; chat_id: string; agent_name: string; title: string; status: components['schemas']["TurnState"]; usage: components['schemas']["TraceTokens"] };
    TraceTokens: { input_tokens: number; output_tokens: number; cached_input_tokens: number; reasoning_tokens: number; estimated: boolean; cost: (number | null) };
    TraceWait: { id: string; parent_id: (string | null); started_at: (string | null); ended_at: (string | null); kind: "wait"; waits_for: "place" | "slot" | "provider"; until: (string | null) };
    TracedCall: { id: string; turn_id: string; name: string; label: string; effect: "read" | "keyed" | "once" | "agent"; status: "planned" | "running" | "success" | "error" | "unknown" | "interrupted"; arguments: Record<string, unknown>; edited_arguments: (Record<string, unknown> | null); result: (string | null); tries: number; created_at: string; started_at: (string | null); ended_at: (string | null) };
    Turn: { id: string; chat_id: string; status: components['schemas']["TurnState"]; question: (string | null); agent_id: (string | null); agent_name: (string | null); model: (string | null); error: (string | null); created_at: string; started_at: (string | null); ended_at: (string | null); interrupted_at: (string | null); waiting_until: (string | null); attempts: number; tool_call_count: number; usage: components['schemas']["TraceTokens"]; parent_turn_id: (string | null); parent_chat_id: (string | null); task_id: (string | null); run_id: (string | null) };
    TurnEvent: (components['schemas']["StreamStart"] | components['schemas']["Chunk"] | components['schemas']["ToolCallProgress"] | components['schemas']["ApprovalProgress"] | components['schemas']["StreamEnd"] | components['schemas']["StreamError"]);
    TurnState: "queued" | "running" | "completed" | "interrupted" | "failed";
    TurnStatus: "completed" | "interrupted" | "failed";
    UncomparedMarketplaceRecord: { kind: "agent" | "tool" | "skill" | "persona"; key: string };
    UnusableDefinition: { key: string; problem: string };
    Usage: { input_tokens: number; output_tokens: number; cached_input_tokens?: number; reasoning_tokens?: number; cost_usd?: number };
    UsageLine: { key: (string | null); name: (string | null); turns: number; calls: number; input_tokens: number; output_tokens: number; cached_input_tokens: number; reasoning_tokens: number; cost_usd: (number | null); unpriced_calls: number; unpriced_tokens: number };
    UsageReport: { from: string; to: string; group_by: "day" | "agent" | "model" | "user" | "chat"; scope: "own" | "organization"; totals: components['schemas']["UsageTotals"]; lines: (components['schemas']["UsageLine"])[] };
    UsageTotals: { turns: number; calls: number; input_tokens: number; output_tokens: number; cached_input_tokens: number; reasoning_tokens: number; cost_usd: (number | null); unpriced_calls: number; unpriced_tokens: number };
    ValidationIssue: { type: string; loc: ((string | number))[]; msg: string };
    WaitingCall: { step_id: string; chat_id: string; agent_name: string; name: string; label: string; expires_at: string };
    WebhookDelivery: { id: string; event: components['schemas']["DeliveryEvent"]; message_id: (string | null); run_id: (string | null); status: components['schemas']["DeliveryStatus"]; attempts: number; last_status: (number | null); error: (string | null); last_attempt_at: (string | null); next_attempt_at: (string | null); delivered_at: (string | null); created_at: string };
    Workflow: { id: string; owner_id: (string | null); name: string; description: string; agent_id: string; trigger_type: components['schemas']["WorkflowTriggerType"]; prompt_template: string; steps: (components['schemas']["WorkflowStep"])[]; max_concurrent_runs: (number | null); time_limit_minutes: (number | null); keep_runs_days: number; variables: (string)[]; cron_expr: (string | null); interval_minutes: (number | null); timezone: string; catchup_minutes: number; jitter_seconds: number; overlap: components['schemas']["WorkflowOverlap"]; next_run_at: (string | null); pause_reason: (string | null); is_active: boolean; webhook_url: (string | null); has_webhook_secret: boolean; notify_url: (string | null); has_notify_secret: boolean; notify_status: ("active" | "paused" | null); notify_pause_reason: (string | null); created_at: string; updated_at: string };
    WorkflowCreate: { name: string; description?: string; agent_id: string; trigger_type?: components['schemas']["WorkflowTriggerType"]; prompt_template?: string; steps?: (components['schemas']["WorkflowStepInput"])[]; max_concurrent_runs?: (number | null); time_limit_minutes?: (number | null); keep_runs_days?: number; cron_expr?: (string | null); interval_minutes?: (number | null); timezone?: string; catchup_minutes?: number; jitter_seconds?: number; overlap?: components['schemas']["WorkflowOverlap"]; webhook_secret?: (string | null); notify_url?: (string | null); notify_secret?: (string | null) };
    WorkflowOverlap: "skip" | "allow_all" | "cancel_other";
    WorkflowRun: { id: string; workflow_id: string; org_id: string; chat_id: (string | null); user_id: string; status: components['schemas']["RunStatus"]; triggered_by: components['schemas']["RunTrigger"]; variables: Record<string, unknown>; missing_variables: (string)[]; prompt: string; output: (string | null); error: (string | null); usage: components['schemas']["RunUsage"]; started_at: (string | null); completed_at: (string | null); created_at: string; updated_at: string };
    WorkflowRunDetails: { id: string; workflow_id: string; org_id: string; chat_id: (string | null); user_id: string; status: components['schemas']["RunStatus"]; triggered_by: components['schemas']["RunTrigger"]; variables: Record<string, unknown>; missing_variables: (string)[]; prompt: string; output: (string | null); error: (string | null); usage: components['schemas']["RunUsage"]; started_at: (string | null); completed_at: (string | null); created_at: string; updated_at: string; steps: (components['schemas']["WorkflowRunStep"])[] };
    WorkflowRunStep: { name: string; agent_id: (string | null); status: components['schemas']["RunStatus"]; attempts: number; turn_id: (string | null); output: (string | null); error: (string | null) };
    WorkflowStep: { name: string; prompt_template: string; agent_id: (string | null); approval: boolean; retries: number };
    WorkflowStepInput: { name: string; prompt_template: string; agent_id?: (string | null); approval?: boolean; retries?: number };
    WorkflowTrigger: { variables?: Record<string, unknown> };
    WorkflowTriggerType: "manual" | "webhook" | "schedule";
    WorkflowUpdate: { name?: string; description?: string; agent_id?: string; trigger_type?: components['schemas']["WorkflowTriggerType"]; prompt_template?: string; steps?: (components['schemas']["WorkflowStepInput"])[]; max_concurrent_runs?: (number | null); time_limit_minutes?: (number | null); keep_runs_days?: number; cron_expr?: (string | null); interval_minutes?: (number | null); timezone?: string; catchup_minutes?: number; jitter_seconds?: number; overlap?: components['schemas']["WorkflowOverlap"]; notify_url?: (string | null); notify_secret?: (string | null); webhook_secret?: (string | null) };
    WorkflowWebhookBody: Record<string, unknown>;
    WorkspaceEntry: { type: "file" | "folder" | "link"; path: string; size: number; modified_at: string };
  };
}

export interface paths {
  "/api/auth/register": {
    post: { parameters: {  }; requestBody: { content: { "application/json": components['schemas']["Registration"] } }; responses: { 201: { content: { "application/json": components['schemas']["SignIn"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/auth/login": {
    post: { parameters: {  }; requestBody: { content: { "application/json": components['schemas']["Credentials"] } }; responses: { 200: { content: { "application/json": components['schemas']["SignIn"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/auth/refresh": {
    post: { parameters: {  }; requestBody: { content: { "application/json": components['schemas']["RefreshToken"] } }; responses: { 200: { content: { "application/json": components['schemas']["Tokens"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/auth/logout": {
    post: { parameters: {  }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/auth/password": {
    post: { parameters: {  }; requestBody: { content: { "application/json": components['schemas']["LinkedPassword"] } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/auth/browser-session": {
    post: { parameters: {  }; requestBody: { content: { "application/json": components['schemas']["Credentials"] } }; responses: { 200: { content: { "application/json": components['schemas']["BrowserSignIn"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: {  }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/auth/browser-session/refresh": {
    post: { parameters: {  }; responses: { 200: { content: { "application/json": components['schemas']["AccessToken"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/auth/cli/invite/{token}": {
    get: { parameters: { path: { token: string } }; responses: { 200: { content: { "application/json": components['schemas']["ShownCliInvite"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/auth/cli/redeem": {
    post: { parameters: {  }; requestBody: { content: { "application/json": components['schemas']["InviteRedemption"] } }; responses: { 200: { content: { "application/json": components['schemas']["Redeemed"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/users/me": {
    get: { parameters: {  }; responses: { 200: { content: { "application/json": components['schemas']["CurrentUser"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: {  }; requestBody: { content: { "application/json": components['schemas']["CurrentUserUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["CurrentUser"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/users/me/email": {
    put: { parameters: {  }; requestBody: { content: { "application/json": components['schemas']["EmailChange"] } }; responses: { 200: { content: { "application/json": components['schemas']["CurrentUser"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/users/me/devices": {
    get: { parameters: { query?: { limit?: number; offset?: number } }; responses: { 200: { content: { "application/json": (components['schemas']["Device"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/users/me/devices/{device_id}": {
    delete: { parameters: { path: { device_id: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/users/me/sessions": {
    get: { parameters: { query?: { limit?: number; offset?: number } }; responses: { 200: { content: { "application/json": (components['schemas']["Session"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: {  }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/users/me/sessions/{session_id}": {
    delete: { parameters: { path: { session_id: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/orgs": {
    get: { parameters: { query?: { limit?: number; offset?: number } }; responses: { 200: { content: { "application/json": (components['schemas']["Organization"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: {  }; requestBody: { content: { "application/json": components['schemas']["OrganizationCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["Organization"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/orgs/{org_id}": {
    get: { parameters: { path: { org_id: string } }; responses: { 200: { content: { "application/json": components['schemas']["Organization"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { org_id: string } }; requestBody: { content: { "application/json": components['schemas']["OrganizationUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["Organization"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { org_id: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/orgs/{org_id}/switch": {
    post: { parameters: { path: { org_id: string } }; responses: { 200: { content: { "application/json": components['schemas']["CurrentUser"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/orgs/{org_id}/leave": {
    post: { parameters: { path: { org_id: string } }; responses: { 200: { content: { "application/json": components['schemas']["CurrentUser"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/orgs/{org_id}/members": {
    get: { parameters: { path: { org_id: string }; query?: { limit?: number; offset?: number } }; responses: { 200: { content: { "application/json": (components['schemas']["Member"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/orgs/{org_id}/members/{user_id}": {
    patch: { parameters: { path: { org_id: string; user_id: string } }; requestBody: { content: { "application/json": components['schemas']["MemberUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["Member"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { org_id: string; user_id: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/orgs/{org_id}/members/{user_id}/devices": {
    get: { parameters: { path: { org_id: string; user_id: string }; query?: { limit?: number; offset?: number } }; responses: { 200: { content: { "application/json": (components['schemas']["Device"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/orgs/{org_id}/members/{user_id}/devices/{device_id}": {
    delete: { parameters: { path: { org_id: string; user_id: string; device_id: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/orgs/{org_id}/members/{user_id}/password-link": {
    post: { parameters: { path: { org_id: string; user_id: string } }; responses: { 200: { content: { "application/json": components['schemas']["PasswordLink"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/users/me/delete": {
    post: { parameters: {  }; requestBody: { content: { "application/json": components['schemas']["AccountDeletion"] } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/orgs/invite/{token}": {
    get: { parameters: { path: { token: string } }; responses: { 200: { content: { "application/json": components['schemas']["ShownInvite"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/orgs/{org_id}/invites": {
    get: { parameters: { path: { org_id: string }; query?: { limit?: number; offset?: number } }; responses: { 200: { content: { "application/json": (components['schemas']["Invite"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { path: { org_id: string } }; requestBody: { content: { "application/json": components['schemas']["InviteCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["InviteWithToken"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/orgs/{org_id}/invites/{invite_id}": {
    delete: { parameters: { path: { org_id: string; invite_id: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/orgs/accept-invite": {
    post: { parameters: {  }; requestBody: { content: { "application/json": components['schemas']["InviteAcceptance"] } }; responses: { 200: { content: { "application/json": components['schemas']["Organization"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/users/me/api-keys": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["ApiKey"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ApiKeyCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["ApiKeyWithValue"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/users/me/api-keys/{key_id}/rotate": {
    post: { parameters: { path: { key_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["ApiKeyWithValue"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/users/me/api-keys/{key_id}": {
    delete: { parameters: { path: { key_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/orgs/{org_id}/api-keys": {
    get: { parameters: { path: { org_id: string }; query?: { limit?: number; offset?: number } }; responses: { 200: { content: { "application/json": (components['schemas']["MemberApiKey"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/orgs/{org_id}/api-keys/{key_id}": {
    delete: { parameters: { path: { org_id: string; key_id: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/agents": {
    get: { parameters: { query?: { limit?: number; offset?: number; deleted?: boolean; q?: string; provider_chain_id?: string; model_profile_id?: string; mcp_server_id?: string; knowledge_base_id?: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["AgentListItem"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["AgentCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["Agent"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/agents/templates": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Agent"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/agents/types/builtin": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["PersonaType"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/agents/{agent_id}": {
    get: { parameters: { path: { agent_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Agent"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { agent_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["AgentUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["Agent"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { agent_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/agents/{agent_id}/prompt": {
    get: { parameters: { path: { agent_id: string }; query?: { project_id?: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["AgentPrompt"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/agents/{agent_id}/restore": {
    patch: { parameters: { path: { agent_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Agent"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/agents/{agent_id}/memories": {
    get: { parameters: { path: { agent_id: string }; query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["AgentMemory"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { path: { agent_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["MemoryCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["AgentMemory"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/agents/{agent_id}/memories/{memory_id}": {
    get: { parameters: { path: { agent_id: string; memory_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["AgentMemory"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { agent_id: string; memory_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["MemoryUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["AgentMemory"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { agent_id: string; memory_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/knowledge-bases": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["KnowledgeBase"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["KnowledgeBaseCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["KnowledgeBase"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/knowledge-bases/{knowledge_base_id}": {
    get: { parameters: { path: { knowledge_base_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["KnowledgeBase"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { knowledge_base_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["KnowledgeBaseUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["KnowledgeBase"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { knowledge_base_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/knowledge-bases/{knowledge_base_id}/search": {
    get: { parameters: { path: { knowledge_base_id: string }; query: { q: string; top_k?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["FoundPassages"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/knowledge-bases/{knowledge_base_id}/documents": {
    get: { parameters: { path: { knowledge_base_id: string }; query?: { limit?: number; offset?: number; status?: "pending" | "processing" | "ready" | "failed" }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["KnowledgeDocument"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { path: { knowledge_base_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["KnowledgeDocumentCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["KnowledgeDocument"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/knowledge-bases/{knowledge_base_id}/documents/{document_id}": {
    get: { parameters: { path: { knowledge_base_id: string; document_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["KnowledgeDocument"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { knowledge_base_id: string; document_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/knowledge-bases/{knowledge_base_id}/documents/upload": {
    post: { parameters: { path: { knowledge_base_id: string }; query?: { title?: string; tags?: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "multipart/form-data": { file: Blob } } }; responses: { 201: { content: { "application/json": components['schemas']["KnowledgeDocument"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/knowledge-bases/{knowledge_base_id}/documents/{document_id}/content": {
    get: { parameters: { path: { knowledge_base_id: string; document_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/octet-stream": Blob; "*/*": Blob } }; 206: { content: { "application/octet-stream": Blob; "*/*": Blob } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/tools": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Tool"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ToolCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["Tool"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/tools/builtin": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Tool"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/tools/{tool_id}": {
    get: { parameters: { path: { tool_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Tool"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { tool_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["ToolUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["Tool"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { tool_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/tools/{tool_id}/files": {
    get: { parameters: { path: { tool_id: string }; query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["DefinitionFileItem"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/tools/{tool_id}/files/{file_path}": {
    get: { parameters: { path: { tool_id: string; file_path: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["DefinitionFile"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    put: { parameters: { path: { tool_id: string; file_path: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["DefinitionFileWrite"] } }; responses: { 200: { content: { "application/json": components['schemas']["DefinitionFile"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { tool_id: string; file_path: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/tools/{tool_id}/export": {
    get: { parameters: { path: { tool_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/zip": Blob } }; 206: { content: { "application/zip": Blob } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/tools/builtin/{key}/export": {
    get: { parameters: { path: { key: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/zip": Blob } }; 206: { content: { "application/zip": Blob } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/tools/import": {
    post: { parameters: { query?: { key?: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "multipart/form-data": { file: Blob }; "application/zip": Blob } }; responses: { 201: { content: { "application/json": components['schemas']["Tool"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/skills": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Skill"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["SkillCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["Skill"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/skills/builtin": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Skill"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/skills/{skill_id}": {
    get: { parameters: { path: { skill_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Skill"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { skill_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["SkillUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["Skill"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { skill_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/skills/{skill_id}/files": {
    get: { parameters: { path: { skill_id: string }; query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["DefinitionFileItem"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/skills/{skill_id}/files/{file_path}": {
    get: { parameters: { path: { skill_id: string; file_path: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["DefinitionFile"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    put: { parameters: { path: { skill_id: string; file_path: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["DefinitionFileWrite"] } }; responses: { 200: { content: { "application/json": components['schemas']["DefinitionFile"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { skill_id: string; file_path: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/skills/{skill_id}/export": {
    get: { parameters: { path: { skill_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/zip": Blob } }; 206: { content: { "application/zip": Blob } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/skills/builtin/{key}/export": {
    get: { parameters: { path: { key: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/zip": Blob } }; 206: { content: { "application/zip": Blob } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/skills/import": {
    post: { parameters: { query?: { key?: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "multipart/form-data": { file: Blob }; "application/zip": Blob } }; responses: { 201: { content: { "application/json": components['schemas']["Skill"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/personas": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Persona"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["PersonaCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["Persona"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/personas/builtin": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Persona"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/personas/{persona_id}": {
    get: { parameters: { path: { persona_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Persona"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { persona_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["PersonaUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["Persona"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { persona_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/personas/{persona_id}/export": {
    get: { parameters: { path: { persona_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/zip": Blob } }; 206: { content: { "application/zip": Blob } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/personas/builtin/{key}/export": {
    get: { parameters: { path: { key: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/zip": Blob } }; 206: { content: { "application/zip": Blob } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/personas/import": {
    post: { parameters: { query?: { key?: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "multipart/form-data": { file: Blob }; "application/zip": Blob } }; responses: { 201: { content: { "application/json": components['schemas']["Persona"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/tools/{tool_id}/test": {
    post: { parameters: { path: { tool_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ToolTest"] } }; responses: { 200: { content: { "application/json": components['schemas']["ToolTestResult"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/providers/chains": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["ProviderChain"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ProviderChainCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["ProviderChain"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/providers/chains/{chain_id}": {
    get: { parameters: { path: { chain_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["ProviderChain"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { chain_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["ProviderChainUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["ProviderChain"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { chain_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/model-profiles": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["ModelProfile"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ModelProfileCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["ModelProfile"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/model-profiles/resolve": {
    get: { parameters: { query: { tags: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["ModelProfile"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/model-profiles/{profile_id}": {
    get: { parameters: { path: { profile_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["ModelProfile"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { profile_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["ModelProfileUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["ModelProfile"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { profile_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/marketplace": {
    get: { parameters: { query?: { q?: string; kind?: "agent" | "skill" | "tool" | "persona" | "bundle"; tag?: string; limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["MarketplaceItem"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/marketplace/{slug}": {
    get: { parameters: { path: { slug: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["MarketplaceItemDetails"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/marketplace/{slug}/differences": {
    get: { parameters: { path: { slug: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["MarketplaceDifferences"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/marketplace/{slug}/install": {
    post: { parameters: { path: { slug: string }; query?: { edited?: "refuse" | "keep" | "replace"; change_source?: boolean }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Installation"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/marketplace-indexes": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["MarketplaceIndex"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/marketplace-indexes/refresh": {
    post: { parameters: { header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["MarketplaceIndex"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/providers": {
    get: { parameters: { query?: { limit?: number; offset?: number; deleted?: boolean }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Provider"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ProviderCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["Provider"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/providers/catalog": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["CatalogEntry"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/providers/auth/start": {
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ProviderSignInStart"] } }; responses: { 200: { content: { "application/json": components['schemas']["ProviderSignIn"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/providers/auth/{provider}/code/{account_name}": {
    post: { parameters: { path: { provider: string; account_name: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ProviderSignInCode"] } }; responses: { 200: { content: { "application/json": components['schemas']["ProviderSignIn"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/providers/auth/{provider}/status/{account_name}": {
    get: { parameters: { path: { provider: string; account_name: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["ProviderSignIn"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/providers/auth/{provider}/complete/{account_name}": {
    post: { parameters: { path: { provider: string; account_name: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ProviderSignInCompletion"] } }; responses: { 201: { content: { "application/json": components['schemas']["Provider"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/providers/{provider_id}": {
    get: { parameters: { path: { provider_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Provider"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { provider_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["ProviderUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["Provider"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { provider_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/providers/{provider_id}/purge": {
    delete: { parameters: { path: { provider_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/providers/{provider_id}/restore": {
    patch: { parameters: { path: { provider_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Provider"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/providers/{provider_id}/test": {
    post: { parameters: { path: { provider_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["ProviderTest"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/providers/{provider_id}/models": {
    get: { parameters: { path: { provider_id: string }; query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["ProviderModel"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/mcp-servers": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["McpServer"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["McpServerCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["McpServer"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/mcp-servers/catalog": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["McpProgram"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/mcp-servers/{mcp_id}": {
    get: { parameters: { path: { mcp_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["McpServer"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { mcp_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["McpServerUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["McpServer"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { mcp_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/mcp-servers/{mcp_id}/tools": {
    get: { parameters: { path: { mcp_id: string }; query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["McpTool"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/mcp-servers/{mcp_id}/tools/fetch": {
    post: { parameters: { path: { mcp_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["McpTool"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/mcp-servers/{mcp_id}/oauth/start": {
    post: { parameters: { path: { mcp_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["McpSignIn"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/mcp-servers/{mcp_id}/oauth/finish": {
    post: { parameters: { path: { mcp_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["McpSignInFinish"] } }; responses: { 200: { content: { "application/json": components['schemas']["McpServer"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/integrations": {
    get: { parameters: { query?: { limit?: number; offset?: number; kind?: "github" | "gitlab" | "gitea" | "git" | "slack" | "discord" | "telegram" | "ms_teams" | "gmail" | "google_calendar" | "google_drive" | "google_sheets" | "brave" | "tavily" | "exa" | "serper" | "searxng" | "postgres" | "mysql" | "redis" | "s3" | "smtp" | "imap" | "kubernetes" | "pagerduty" | "prometheus" | "sentry" | "jira" | "linear" | "asana" | "confluence" | "notion" | "airtable" | "hubspot" | "stripe" | "http" }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Integration"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["IntegrationCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["Integration"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/integrations/kinds": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["IntegrationKindDetails"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/integrations/{integration_id}": {
    get: { parameters: { path: { integration_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Integration"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { integration_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["IntegrationUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["Integration"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { integration_id: string }; query?: { force?: boolean }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/integrations/{integration_id}/test": {
    post: { parameters: { path: { integration_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["IntegrationTest"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/integrations/{integration_id}/oauth/start": {
    post: { parameters: { path: { integration_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["IntegrationSignInStart"] } }; responses: { 200: { content: { "application/json": components['schemas']["IntegrationSignIn"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/integrations/{integration_id}/oauth/status": {
    get: { parameters: { path: { integration_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["IntegrationSignInStatus"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/permissions/groups": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["PermissionGroup"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["PermissionGroupCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["PermissionGroup"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/permissions/groups/{group_id}": {
    get: { parameters: { path: { group_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["PermissionGroup"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { group_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["PermissionGroupUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["PermissionGroup"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { group_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/permissions/groups/{group_id}/members": {
    put: { parameters: { path: { group_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["PermissionGroupMembers"] } }; responses: { 200: { content: { "application/json": components['schemas']["PermissionGroup"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/permissions/budgets": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["MemberBudgets"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/permissions/catalog": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["PermissionCatalogEntry"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/permissions/assignable": {
    get: { parameters: { header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["AssignableResources"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/permissions/me": {
    get: { parameters: { header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["OwnPermissions"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/projects": {
    get: { parameters: { query?: { limit?: number; offset?: number; deleted?: boolean; q?: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Project"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ProjectCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["Project"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/projects/{project_id}": {
    get: { parameters: { path: { project_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Project"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { project_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["ProjectUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["Project"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { project_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/projects/{project_id}/restore": {
    patch: { parameters: { path: { project_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Project"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/projects/{project_id}/agents": {
    get: { parameters: { path: { project_id: string }; query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["ProjectAgent"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    put: { parameters: { path: { project_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["ProjectAgentsSet"] } }; responses: { 200: { content: { "application/json": components['schemas']["Project"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/projects/{project_id}/logs": {
    get: { parameters: { path: { project_id: string }; query?: { limit?: number; offset?: number; before?: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["ProjectLogEntry"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/issues": {
    get: { parameters: { query?: { project_id?: string; status?: components['schemas']["IssueStatus"]; label?: string; assigned_agent_id?: string; assigned_user_id?: string; q?: string; limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Issue"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["IssueCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["Issue"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/issues/{issue_id}": {
    get: { parameters: { path: { issue_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Issue"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { issue_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["IssueUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["Issue"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { issue_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/issues/{issue_id}/comments": {
    get: { parameters: { path: { issue_id: string }; query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["IssueComment"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { path: { issue_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["IssueCommentCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["IssueComment"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/issues/{issue_id}/comments/{comment_id}": {
    patch: { parameters: { path: { issue_id: string; comment_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["IssueCommentUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["IssueComment"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { issue_id: string; comment_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/issues/{issue_id}/start": {
    post: { parameters: { path: { issue_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 201: { content: { "application/json": components['schemas']["Task"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/integrations/{repo_type}/webhook/{project_id}": {
    post: { parameters: { path: { repo_type: "github" | "gitlab" | "gitea"; project_id: string } }; requestBody: { content: { "application/json": components['schemas']["HostDelivery"] } }; responses: { 200: { content: { "application/json": components['schemas']["HostDeliveryReceipt"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/projects/{project_id}/sync-issues": {
    post: { parameters: { path: { project_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 202: { content: { "application/json": components['schemas']["IssueSync"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/projects/{project_id}/syncs": {
    get: { parameters: { path: { project_id: string }; query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["IssueSync"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/projects/{project_id}/syncs/{sync_id}": {
    get: { parameters: { path: { project_id: string; sync_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["IssueSync"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/search": {
    get: { parameters: { query: { q: string; page?: number; per_page?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["SearchResults"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats": {
    get: { parameters: { query?: { agent_id?: string; project_id?: string; origin?: "person" | "program" | "workflow" | "schedule" | "issue"; deleted?: boolean; limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Chat"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ChatCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["Chat"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}": {
    get: { parameters: { path: { chat_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Chat"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { chat_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/title": {
    patch: { parameters: { path: { chat_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ChatTitle"] } }; responses: { 200: { content: { "application/json": components['schemas']["Chat"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/provider-chain": {
    patch: { parameters: { path: { chat_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ChatProviderChain"] } }; responses: { 200: { content: { "application/json": components['schemas']["Chat"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/sharing": {
    patch: { parameters: { path: { chat_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ChatSharing"] } }; responses: { 200: { content: { "application/json": components['schemas']["Chat"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/restore": {
    patch: { parameters: { path: { chat_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Chat"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/messages": {
    get: { parameters: { path: { chat_id: string }; query?: { limit?: number; offset?: number; before?: string; newest?: boolean }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Message"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/messages/{message_id}/excluded": {
    patch: { parameters: { path: { chat_id: string; message_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["MessageExclusion"] } }; responses: { 200: { content: { "application/json": components['schemas']["Message"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/messages/{message_id}": {
    patch: { parameters: { path: { chat_id: string; message_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["MessageText"] } }; responses: { 200: { content: { "application/json": components['schemas']["Message"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/messages/{message_id}/withdraw": {
    post: { parameters: { path: { chat_id: string; message_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Message"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/fork": {
    post: { parameters: { path: { chat_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ChatFork"] } }; responses: { 201: { content: { "application/json": components['schemas']["Chat"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/interrupt": {
    post: { parameters: { path: { chat_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Interrupt"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/turns": {
    get: { parameters: { path: { chat_id: string }; query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Turn"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/turns/{turn_id}": {
    get: { parameters: { path: { chat_id: string; turn_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Trace"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/turns/{turn_id}/calls/{call_id}": {
    get: { parameters: { path: { chat_id: string; turn_id: string; call_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["TracedCall"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/tasks": {
    get: { parameters: { query?: { chat_id?: string; issue_id?: string; parent_task_id?: string; status?: components['schemas']["TaskStatus"]; assigned_agent_id?: string; q?: string; limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Task"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["TaskCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["Task"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/tasks/{task_id}": {
    get: { parameters: { path: { task_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Task"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { task_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["TaskUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["Task"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { task_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/tasks/{task_id}/interrupt": {
    post: { parameters: { path: { task_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Task"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/tasks/{task_id}/retry": {
    post: { parameters: { path: { task_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Task"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/projects/{project_id}/tasks": {
    get: { parameters: { path: { project_id: string }; query?: { status?: components['schemas']["TaskStatus"]; assigned_agent_id?: string; q?: string; limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Task"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/board": {
    get: { parameters: { query: { project_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Board"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/board/stream": {
    get: { parameters: { query: { org_id?: string; project_id: string }; header?: { "X-Org-Id"?: string; "Last-Event-ID"?: string } }; responses: { 200: { content: { "text/event-stream": components['schemas']["BoardEvent"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/workflows": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Workflow"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["WorkflowCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["Workflow"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/workflows/{workflow_id}": {
    get: { parameters: { path: { workflow_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Workflow"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { workflow_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["WorkflowUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["Workflow"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { workflow_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/workflows/{workflow_id}/activate": {
    post: { parameters: { path: { workflow_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Workflow"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/workflows/{workflow_id}/deactivate": {
    post: { parameters: { path: { workflow_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Workflow"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/workflows/{workflow_id}/trigger": {
    post: { parameters: { path: { workflow_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["WorkflowTrigger"] } }; responses: { 202: { content: { "application/json": components['schemas']["StartedRun"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/workflows/{workflow_id}/webhook": {
    post: { parameters: { path: { workflow_id: string } }; requestBody: { content: { "application/json": components['schemas']["WorkflowWebhookBody"] } }; responses: { 202: { content: { "application/json": components['schemas']["StartedRun"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/workflows/{workflow_id}/runs": {
    get: { parameters: { path: { workflow_id: string }; query?: { status?: components['schemas']["RunStatus"]; triggered_by?: components['schemas']["RunTrigger"]; before?: string; limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["WorkflowRun"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/workflows/{workflow_id}/runs/{run_id}": {
    get: { parameters: { path: { workflow_id: string; run_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["WorkflowRunDetails"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/workflows/{workflow_id}/runs/{run_id}/interrupt": {
    post: { parameters: { path: { workflow_id: string; run_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["WorkflowRunDetails"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/workflows/{workflow_id}/conversations": {
    get: { parameters: { path: { workflow_id: string }; query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Chat"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/workflows/{workflow_id}/conversations/{chat_id}": {
    delete: { parameters: { path: { workflow_id: string; chat_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/webhook": {
    patch: { parameters: { path: { chat_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ChatWebhookUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["Chat"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/webhook/deliveries": {
    get: { parameters: { path: { chat_id: string }; query?: { before?: string; limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["WebhookDelivery"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/webhook/deliveries/{delivery_id}/redeliver": {
    post: { parameters: { path: { chat_id: string; delivery_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 202: { content: { "application/json": components['schemas']["WebhookDelivery"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/workflows/{workflow_id}/deliveries": {
    get: { parameters: { path: { workflow_id: string }; query?: { before?: string; limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["WebhookDelivery"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/workflows/{workflow_id}/deliveries/{delivery_id}/redeliver": {
    post: { parameters: { path: { workflow_id: string; delivery_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 202: { content: { "application/json": components['schemas']["WebhookDelivery"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/schedules/{schedule_id}/deliveries": {
    get: { parameters: { path: { schedule_id: string }; query?: { before?: string; limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["WebhookDelivery"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/schedules/{schedule_id}/deliveries/{delivery_id}/redeliver": {
    post: { parameters: { path: { schedule_id: string; delivery_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 202: { content: { "application/json": components['schemas']["WebhookDelivery"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/schedules": {
    get: { parameters: { query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Schedule"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ScheduleCreate"] } }; responses: { 201: { content: { "application/json": components['schemas']["Schedule"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/schedules/{schedule_id}": {
    get: { parameters: { path: { schedule_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Schedule"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    patch: { parameters: { path: { schedule_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; requestBody: { content: { "application/json": components['schemas']["ScheduleUpdate"] } }; responses: { 200: { content: { "application/json": components['schemas']["Schedule"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { schedule_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/schedules/{schedule_id}/activate": {
    post: { parameters: { path: { schedule_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Schedule"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/schedules/{schedule_id}/deactivate": {
    post: { parameters: { path: { schedule_id: string }; header?: { "X-Org-Id"?: string; "If-Match"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["Schedule"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/schedules/{schedule_id}/trigger": {
    post: { parameters: { path: { schedule_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 202: { content: { "application/json": components['schemas']["StartedRun"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/schedules/{schedule_id}/next": {
    get: { parameters: { path: { schedule_id: string }; query?: { count?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["ScheduleNextTimes"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/schedules/{schedule_id}/backfill": {
    post: { parameters: { path: { schedule_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ScheduleBackfill"] } }; responses: { 202: { content: { "application/json": components['schemas']["ScheduleBackfilled"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/schedules/{schedule_id}/runs": {
    get: { parameters: { path: { schedule_id: string }; query?: { status?: components['schemas']["ScheduleRunStatus"]; triggered_by?: components['schemas']["ScheduleRunTrigger"]; before?: string; limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["ScheduleRun"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/schedules/runs/{run_id}": {
    get: { parameters: { path: { run_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["ScheduleRun"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/schedules/runs/{run_id}/interrupt": {
    post: { parameters: { path: { run_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["ScheduleRun"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/runs": {
    get: { parameters: { query?: { status?: components['schemas']["RunStatus"]; kind?: components['schemas']["RunKind"]; triggered_by?: components['schemas']["RunTrigger"]; agent_id?: string; from?: string; to?: string; limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["ListedRun"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/approvals": {
    get: { parameters: { query?: { status?: components['schemas']["ApprovalStatus"]; chat_id?: string; agent_id?: string; limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["Approval"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/approvals/{approval_id}": {
    get: { parameters: { path: { approval_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["EditableApproval"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/approvals/{approval_id}/decision": {
    post: { parameters: { path: { approval_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["ApprovalDecision"] } }; responses: { 200: { content: { "application/json": components['schemas']["Approval"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/usage": {
    get: { parameters: { query?: { from?: (string); to?: (string); group_by?: "day" | "agent" | "model" | "user" | "chat"; scope?: "own" | "organization"; limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["UsageReport"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/files": {
    get: { parameters: { path: { chat_id: string }; query?: { limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["ChatFile"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    post: { parameters: { path: { chat_id: string }; header?: { "X-Org-Id"?: string } }; requestBody: { content: { "multipart/form-data": { file: Blob } } }; responses: { 201: { content: { "application/json": components['schemas']["ChatFile"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/files/{file_id}": {
    get: { parameters: { path: { chat_id: string; file_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["ChatFile"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    delete: { parameters: { path: { chat_id: string; file_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/files/{file_id}/content": {
    get: { parameters: { path: { chat_id: string; file_id: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/octet-stream": Blob; "*/*": Blob } }; 206: { content: { "application/octet-stream": Blob; "*/*": Blob } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/workspace": {
    get: { parameters: { path: { chat_id: string }; query?: { limit?: number; offset?: number; folder?: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["WorkspaceEntry"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/workspace/{path}": {
    get: { parameters: { path: { chat_id: string; path: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/octet-stream": Blob } }; 206: { content: { "application/octet-stream": Blob } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/chats/{chat_id}/stream": {
    post: { parameters: { path: { chat_id: string }; query?: { org_id?: string }; header?: { "X-Org-Id"?: string; "Last-Event-ID"?: string } }; requestBody: { content: { "application/json": components['schemas']["MessageCreate"] } }; responses: { 200: { content: { "text/event-stream": components['schemas']["TurnEvent"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
    get: { parameters: { path: { chat_id: string }; query?: { org_id?: string }; header?: { "X-Org-Id"?: string; "Last-Event-ID"?: string } }; responses: { 200: { content: { "text/event-stream": components['schemas']["TurnEvent"] } }; 204: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/v1/models": {
    get: { parameters: { header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["ChatModelList"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/v1/models/{model}": {
    get: { parameters: { path: { model: string }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": components['schemas']["ChatModel"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/v1/chat/completions": {
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["CompletionRequest"] } }; responses: { 200: { content: { "application/json": components['schemas']["Completion"]; "text/event-stream": components['schemas']["CompletionChunk"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/v1/responses": {
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["AgentResponseRequest"] } }; responses: { 200: { content: { "application/json": components['schemas']["AgentResponse"]; "text/event-stream": components['schemas']["AgentResponseEvent"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/mcp": {
    post: { parameters: { header?: { "X-Org-Id"?: string } }; requestBody: { content: { "application/json": components['schemas']["McpMessage"] } }; responses: { 200: { content: { "application/json": components['schemas']["McpAnswer"]; "text/event-stream": components['schemas']["McpAnswer"] } }; 202: { content: { "application/json"?: never } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/healthz": {
    get: { parameters: {  }; responses: { 200: { content: { "application/json": components['schemas']["Health"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/readyz": {
    get: { parameters: {  }; responses: { 200: { content: { "application/json": components['schemas']["Readiness"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/server": {
    get: { parameters: {  }; responses: { 200: { content: { "application/json": components['schemas']["Server"] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
  "/api/audit": {
    get: { parameters: { query?: { actor_id?: string; action?: "agent_templates.view" | "agent_types.view_builtin" | "agents.create" | "agents.delete" | "agents.restore" | "agents.update" | "agents.view" | "agents.view_prompt" | "api_keys.create" | "api_keys.delete" | "api_keys.rotate" | "api_keys.view" | "approvals.decide" | "approvals.view" | "audit.view" | "auth.cli_redeem" | "auth.login" | "auth.logout" | "auth.refresh" | "auth.register" | "calls.view" | "chats.call" | "chats.create" | "chats.delete" | "chats.fork" | "chats.interrupt" | "chats.provider_chain" | "chats.restore" | "chats.sharing" | "chats.stream" | "chats.title" | "chats.view" | "chats.view_stream" | "chats.webhook" | "devices.delete" | "devices.view" | "files.create" | "files.delete" | "files.download" | "files.download_from_workspace" | "files.view" | "files.view_workspace" | "host_deliveries.receive" | "integration_kinds.view" | "integrations.create" | "integrations.delete" | "integrations.finish_sign_in" | "integrations.start_sign_in" | "integrations.test" | "integrations.update" | "integrations.view" | "integrations.view_sign_in" | "invites.create" | "invites.delete" | "invites.view" | "issue_comments.create" | "issue_comments.delete" | "issue_comments.update" | "issue_comments.view" | "issues.create" | "issues.delete" | "issues.start" | "issues.update" | "issues.view" | "knowledge_bases.create" | "knowledge_bases.delete" | "knowledge_bases.search" | "knowledge_bases.update" | "knowledge_bases.view" | "knowledge_documents.create" | "knowledge_documents.delete" | "knowledge_documents.download" | "knowledge_documents.view" | "marketplace.install" | "marketplace.refresh" | "marketplace.view" | "mcp_programs.view" | "mcp_servers.create" | "mcp_servers.delete" | "mcp_servers.fetch_tools" | "mcp_servers.finish_sign_in" | "mcp_servers.start_sign_in" | "mcp_servers.update" | "mcp_servers.view" | "mcp_servers.view_tools" | "members.delete" | "members.password_link" | "members.update" | "members.view" | "memories.create" | "memories.delete" | "memories.update" | "memories.view" | "messages.excluded" | "messages.search" | "messages.update" | "messages.view" | "messages.withdraw" | "model_profiles.create" | "model_profiles.delete" | "model_profiles.resolve" | "model_profiles.update" | "model_profiles.view" | "orgs.accept_invite" | "orgs.create" | "orgs.delete" | "orgs.leave" | "orgs.switch" | "orgs.update" | "orgs.view" | "permission_groups.create" | "permission_groups.delete" | "permission_groups.set_members" | "permission_groups.update" | "permission_groups.view" | "permissions.view" | "permissions.view_assignable" | "permissions.view_budgets" | "permissions.view_catalog" | "personas.create" | "personas.delete" | "personas.export" | "personas.export_builtin" | "personas.update" | "personas.view" | "personas.view_builtin" | "project_logs.view" | "project_syncs.start" | "project_syncs.view" | "projects.create" | "projects.delete" | "projects.restore" | "projects.set_agents" | "projects.update" | "projects.view" | "projects.view_agents" | "provider_chains.create" | "provider_chains.delete" | "provider_chains.update" | "provider_chains.view" | "providers.complete_sign_in" | "providers.create" | "providers.delete" | "providers.list_models" | "providers.purge" | "providers.restore" | "providers.send_code" | "providers.start_sign_in" | "providers.test" | "providers.update" | "providers.view" | "providers.view_catalog" | "providers.view_sign_in" | "schedule_runs.interrupt" | "schedule_runs.view" | "schedules.activate" | "schedules.backfill" | "schedules.create" | "schedules.deactivate" | "schedules.delete" | "schedules.deliveries" | "schedules.redeliver" | "schedules.trigger" | "schedules.update" | "schedules.view" | "sessions.delete" | "sessions.end_others" | "sessions.view" | "skills.create" | "skills.delete" | "skills.delete_file" | "skills.export" | "skills.export_builtin" | "skills.update" | "skills.view" | "skills.view_builtin" | "skills.view_file" | "skills.view_files" | "skills.write_file" | "tasks.board" | "tasks.create" | "tasks.delete" | "tasks.interrupt" | "tasks.retry" | "tasks.update" | "tasks.view" | "tasks.view_board_stream" | "tools.create" | "tools.delete" | "tools.delete_file" | "tools.export" | "tools.export_builtin" | "tools.test" | "tools.update" | "tools.view" | "tools.view_builtin" | "tools.view_file" | "tools.view_files" | "tools.write_file" | "turns.view" | "usage.view" | "users.delete" | "users.update" | "users.view" | "webhook_deliveries.redeliver" | "webhook_deliveries.view" | "workflow_runs.interrupt" | "workflow_runs.view" | "workflows.activate" | "workflows.conversations" | "workflows.create" | "workflows.deactivate" | "workflows.delete" | "workflows.deliveries" | "workflows.redeliver" | "workflows.trigger" | "workflows.update" | "workflows.view" | "workflows.webhook"; record_type?: "agent_templates" | "agent_types" | "agents" | "api_keys" | "approvals" | "audit" | "auth" | "calls" | "chats" | "devices" | "files" | "host_deliveries" | "integration_kinds" | "integrations" | "invites" | "issue_comments" | "issues" | "knowledge_bases" | "knowledge_documents" | "marketplace" | "mcp_programs" | "mcp_servers" | "members" | "memories" | "messages" | "model_profiles" | "orgs" | "permission_groups" | "permissions" | "personas" | "project_logs" | "project_syncs" | "projects" | "provider_chains" | "providers" | "schedule_runs" | "schedules" | "sessions" | "skills" | "tasks" | "tools" | "turns" | "usage" | "users" | "webhook_deliveries" | "workflow_runs" | "workflows"; record_id?: string; outcome?: "success" | "denied" | "failed"; from?: string; to?: string; limit?: number; offset?: number }; header?: { "X-Org-Id"?: string } }; responses: { 200: { content: { "application/json": (components['schemas']["AuditEntry"])[] } }; default: { content: { 'application/json': components['schemas']['Problem'] } } } };
  };
}
