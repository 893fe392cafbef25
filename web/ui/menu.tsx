import { Check, type LucideIcon } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

interface MenuProps {
  trigger: ReactNode;
  align?: 'start' | 'end';
  /** Call `preventDefault` to move the focus elsewhere than to the trigger when the menu closes. */
  onCloseAutoFocus?(event: Event): void;
  children: ReactNode;
}

export function Menu({ trigger, align = 'end', onCloseAutoFocus, children }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={onCloseAutoFocus}
          className="z-50 min-w-44 animate-rise rounded-lg border border-line bg-raised p-1 shadow-float"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

const item =
  'flex w-full items-center gap-2 rounded-md px-2.5 py-1.5 text-left outline-none pointer-coarse:min-h-11 select-none data-highlighted:bg-hover data-disabled:opacity-50';

interface MenuItemProps {
  icon?: LucideIcon;
  danger?: boolean;
  disabled?: boolean;
  onSelect(): void;
  children: ReactNode;
}

export function MenuItem({ icon: Icon, danger, disabled, onSelect, children }: MenuItemProps) {
  return (
    <Radix.Item disabled={disabled} onSelect={onSelect} className={classes(item, danger && 'text-bad')}>
      {Icon && <Icon aria-hidden className="size-4 shrink-0" />}
      {children}
    </Radix.Item>
  );
}

interface MenuChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly (readonly [Value, string])[];
  onChange(value: Value): void;
}

export function MenuChoice<Value extends string>({
  label,
  value,
  options,
  onChange,
}: MenuChoiceProps<Value>) {
  return (
    <Radix.RadioGroup aria-label={label} value={value} onValueChange={(chosen) => onChange(chosen as Value)}>
      <Radix.Label className="px-2.5 py-1 text-xs text-soft">{label}</Radix.Label>
      {options.map(([option, name]) => (
        <Radix.RadioItem key={option} value={option} className={item}>
          <Mark />
          {name}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

interface MenuCheckProps {
  checked: boolean;
  onChange(checked: boolean): void;
  children: ReactNode;
}

/** Can be switched without closing the menu. */
export function MenuCheck({ checked, onChange, children }: MenuCheckProps) {
  return (
    <Radix.CheckboxItem
      checked={checked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className={classes(item, 'group')}
    >
      <span className="flex size-4 shrink-0 items-center justify-center rounded border border-edge group-data-[state=checked]:border-ink group-data-[state=checked]:bg-ink">
        <Radix.ItemIndicator>
          <Check aria-hidden className="size-3 text-paper" strokeWidth={3} />
        </Radix.ItemIndicator>
      </span>
      {children}
    </Radix.CheckboxItem>
  );
}

/** A check mark for the chosen item; others get only its space. */
function Mark() {
  return (
    <span className="size-4 shrink-0">
      <Radix.ItemIndicator>
        <Check aria-hidden className="size-4" />
      </Radix.ItemIndicator>
    </span>
  );
}

export function MenuSeparator() {
  return <Radix.Separator className="my-1 h-px bg-line" />;
}
