import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Link } from 'wouter';
import './button.css';
import { Icon, type IconName } from './icon.tsx';

type Look = { variant?: 'primary' | 'secondary' | 'ghost' | 'danger'; icon?: IconName; isSmall?: boolean };

export function Button({
  variant = 'secondary',
  icon,
  isSmall,
  isBusy = false,
  children,
  disabled,
  type = 'button',
  className = '',
  ...rest
}: Look & { isBusy?: boolean } & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button
      // oxlint-disable-next-line react/button-has-type -- it has: "button" unless told
      type={type}
      className={`${classOf({ variant, isSmall })} ${className}`}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      {...rest}
    >
      {isBusy ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button that is only a picture; its label is what it is called and what the pointer shows. */
export function IconButton({
  label,
  icon,
  variant = 'ghost',
  isSmall,
  className = '',
  ...rest
}: { label: string; icon: IconName } & Look & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button
      type="button"
      className={`${classOf({ variant, isSmall })} button-icon ${className}`}
      aria-label={label}
      title={label}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}

/** Goes to an address of the page. */
export function ButtonLink({
  href,
  variant = 'secondary',
  icon,
  isSmall,
  children,
}: Look & { href: string; children: ReactNode }) {
  return (
    <Link href={href} className={classOf({ variant, isSmall })}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}

const classOf = ({ variant, isSmall }: Look): string => `button button-${variant}${isSmall ? ' button-small' : ''}`;
