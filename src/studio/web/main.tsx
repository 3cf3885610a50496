import { render } from 'preact';
import { App } from './app.tsx';
import { followTheme } from './theme.ts';

followTheme();
render(<App />, document.querySelector('#app')!);
