import { Icon, type IconName } from '../design/icon.tsx';
import { Popover } from '../design/menu.tsx';
import { setTheme, type Theme, themes, useTheme } from '../design/theme.ts';

const looks: Record<Theme, { icon: IconName; text: string }> = {
  system: { icon: 'screen', text: 'As the system' },
  light: { icon: 'sun', text: 'Light' },
  dark: { icon: 'moon', text: 'Dark' },
};

export function ThemeSwitch() {
  const theme = useTheme();
  return (
    <Popover label="Colours" trigger={<Icon name={looks[theme].icon} />}>
      {(close) =>
        themes.map((one) => (
          <button
            key={one}
            type="button"
            className="menu-item"
            aria-pressed={one === theme}
            onClick={() => {
              setTheme(one);
              close();
            }}
          >
            <Icon name={looks[one].icon} />
            {looks[one].text}
          </button>
        ))
      }
    </Popover>
  );
}
