import type { BuiltinTool } from '../define-tool.ts';
import { hubspot } from './business/hubspot.ts';
import { stripe } from './business/stripe.ts';
import { airtable } from './data/airtable.ts';
import { emailRead } from './communication/email-read.ts';
import { emailSend } from './communication/email-send.ts';
import { csvProcess } from './data/csv-process.ts';
import { dataConvert } from './data/data-convert.ts';
import { database } from './data/database.ts';
import { redis } from './data/redis.ts';
import { jsonQuery } from './data/json-query.ts';
import { archive } from './filesystem/archive.ts';
import { docxCreate, pdfCreate, xlsxWrite } from './documents/write-documents.ts';
import { docxRead, pdfRead, xlsxRead } from './documents/read-documents.ts';
import { markdownConvert } from './documents/markdown-convert.ts';
import { fileDelete, fileMove, fileWrite } from './filesystem/write-files.ts';
import { fileEdit } from './filesystem/file-edit.ts';
import { fileFind } from './filesystem/file-find.ts';
import { fileGrep } from './filesystem/file-grep.ts';
import { fileList } from './filesystem/file-list.ts';
import { fileRead } from './filesystem/file-read.ts';
import { gitBranch } from './git/git-branch.ts';
import { gitClone } from './git/git-clone.ts';
import { gitCommit } from './git/git-commit.ts';
import { gitDiff } from './git/git-diff.ts';
import { gitPull } from './git/git-pull.ts';
import { gitPush } from './git/git-push.ts';
import { git } from './git/git.ts';
import { githubActions } from './github/github-actions.ts';
import { githubApi } from './github/repo-parameter.ts';
import { githubIssue } from './github/github-issue.ts';
import { githubPullRequest } from './github/github-pull-request.ts';
import { gitlabApi } from './gitlab/project-parameter.ts';
import { gitlabIssue } from './gitlab/gitlab-issue.ts';
import { gitlabMergeRequest } from './gitlab/gitlab-merge-request.ts';
import { gitlabPipeline } from './gitlab/gitlab-pipeline.ts';
import { slack } from './communication/slack.ts';
import { discord } from './communication/discord.ts';
import { telegram } from './communication/telegram.ts';
import { msTeams } from './communication/ms-teams.ts';
import { knowledgeAdd } from './knowledge/knowledge-add.ts';
import { knowledgeSearch } from './knowledge/knowledge-search.ts';
import { memoryManage } from './knowledge/memory-manage.ts';
import { confluence } from './knowledge/confluence.ts';
import { notion } from './knowledge/notion/notion.ts';
import { skillRead } from './knowledge/skill-read.ts';
import { audioTranscribe } from './media/audio-transcribe.ts';
import { chartCreate } from './media/chart-create.ts';
import { imageGenerate } from './media/image-generate.ts';
import { imageProcess } from './media/image-process.ts';
import { issueManage } from './planning/issue-manage.ts';
import { planCreate } from './planning/plan-create.ts';
import { taskCreate, taskUpdate } from './planning/tasks.ts';
import { agentBroadcast } from './platform/agent-broadcast.ts';
import { approvalRequest } from './platform/approval-request.ts';
import { platformCreateAgent } from './platform/platform-create-agent.ts';
import { platformCreateTool } from './platform/platform-create-tool.ts';
import { platformInspect } from './platform/platform-inspect.ts';
import { scheduleManage } from './platform/schedule-manage.ts';
import { workflowTrigger } from './platform/workflow-trigger.ts';
import { codeRun } from './shell/code-run.ts';
import { googleDrive } from './cloud/google-drive.ts';
import { kubernetes } from './cloud/kubernetes/kubernetes.ts';
import { s3 } from './cloud/s3.ts';
import { gmail } from './communication/gmail.ts';
import { googleCalendar } from './communication/google-calendar.ts';
import { googleSheets } from './data/google-sheets.ts';
import { pagerduty } from './devops/pagerduty.ts';
import { prometheusQuery } from './devops/prometheus-query.ts';
import { sentry } from './devops/sentry.ts';
import { shellRun } from './shell/shell-run.ts';
import { mathEvaluate } from './utility/math-evaluate.ts';
import { textTransform } from './utility/text-transform.ts';
import { timeNow } from './utility/time-now.ts';
import { browserPage } from './web/browser-page.ts';
import { asana } from './project-management/asana.ts';
import { jira } from './project-management/jira.ts';
import { linear } from './project-management/linear.ts';
import { httpRequest } from './web/http-request.ts';
import { rssRead } from './web/rss-read.ts';
import { webSearch } from './web/web-search.ts';
import { urlCheck } from './web/url-check.ts';
import { webScrape } from './web/web-scrape.ts';
import { wikipediaSearch } from './web/wikipedia-search.ts';

/** Every builtin tool that the worker runs. */
export const BUILTIN_TOOLS: readonly BuiltinTool[] = [
  agentBroadcast,
  airtable,
  approvalRequest,
  archive,
  asana,
  audioTranscribe,
  browserPage,
  chartCreate,
  codeRun,
  confluence,
  csvProcess,
  dataConvert,
  discord,
  database,
  docxCreate,
  docxRead,
  emailRead,
  emailSend,
  fileDelete,
  fileEdit,
  fileFind,
  fileGrep,
  fileList,
  fileMove,
  fileRead,
  fileWrite,
  git,
  gitBranch,
  gitClone,
  gitCommit,
  gitDiff,
  githubActions,
  githubApi,
  githubIssue,
  githubPullRequest,
  gitlabApi,
  gitlabIssue,
  gitlabMergeRequest,
  gitlabPipeline,
  gitPull,
  gitPush,
  httpRequest,
  hubspot,
  imageGenerate,
  imageProcess,
  issueManage,
  jira,
  jsonQuery,
  knowledgeAdd,
  knowledgeSearch,
  kubernetes,
  linear,
  markdownConvert,
  mathEvaluate,
  memoryManage,
  msTeams,
  notion,
  pagerduty,
  pdfCreate,
  pdfRead,
  planCreate,
  platformCreateAgent,
  platformCreateTool,
  platformInspect,
  prometheusQuery,
  rssRead,
  redis,
  scheduleManage,
  sentry,
  s3,
  gmail,
  googleCalendar,
  googleSheets,
  googleDrive,
  shellRun,
  skillRead,
  stripe,
  slack,
  taskCreate,
  taskUpdate,
  telegram,
  textTransform,
  timeNow,
  urlCheck,
  webScrape,
  webSearch,
  wikipediaSearch,
  workflowTrigger,
  xlsxRead,
  xlsxWrite,
];
