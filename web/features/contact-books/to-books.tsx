import { Link } from '@tanstack/react-router';
import { texts } from '../../texts/en.ts';
import { CREATE_HASH } from '../../ui/lists/asked-to-create.ts';
import { buttonClasses } from '../../ui/button.tsx';

/** Shown where a contact book is required and there is none. */
export function ToBooks() {
  return (
    <Link to="/contact-books" hash={CREATE_HASH} className={buttonClasses('primary')}>
      {texts.contacts.firstBook}
    </Link>
  );
}
