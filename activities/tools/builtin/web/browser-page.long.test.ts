import './browser-page.test.ts';
