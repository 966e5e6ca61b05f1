import './issue-sync.test.ts';
