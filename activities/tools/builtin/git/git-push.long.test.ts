import './git-push.test.ts';
