import { render } from 'preact';
import { useSignal } from '@preact/signals';
import { text } from './strings.ts';
import { followTheme } from './theme.ts';

/** What a browser without a session sees. */
function Locked() {
  const problem = useSignal('');
  const t = text.locked;
  const signIn = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const password = new FormData(event.currentTarget as HTMLFormElement).get('password');
    const response = await fetch('/sign-in', {
      method: 'POST',
      headers: { 'x-playbyplay': '1', 'content-type': 'application/json' },
      body: JSON.stringify({ password }),
    });
    if (response.ok) location.assign('/');
    else problem.value = t.wrong;
  };
  return (
    <main class="locked">
      <h1>{t.title}</h1>
      <p>{t.explain}</p>
      <form onSubmit={(event) => void signIn(event)}>
        <label>
          {t.password}
          <input type="password" name="password" autocomplete="current-password" required />
        </label>
        <button type="submit" class="primary">
          {t.signIn}
        </button>
        <p role="alert" class="problem">
          {problem.value}
        </p>
      </form>
    </main>
  );
}

followTheme();
render(<Locked />, document.querySelector('#app')!);
