"""Forms of the analyst's pages."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils import timezone

from welfarist.app.decisions import TableOptions
from welfarist.web.models import Designed, Invite, Study
from welfarist.web.studies import worlds
from welfarist.web.studies.editing import ASKED
from welfarist.web.studies.uploads import MOST_BYTES

_AREA = forms.Textarea(attrs={"rows": 4})
_MOST_NAMES, _LONGEST_NAME = 200, 200
_DAYS = (("", "never"), ("1", "in a day"), ("7", "in a week"), ("30", "in 30 days"),
         ("90", "in 90 days"))  # fmt: skip

_LABELS = MappingProxyType(
    {
        "most": "Number of questions at most",
        "designed": "Made-up outcomes",
        "aim": "Aim",
        "sure": "How sure",
        "check_every": "Repeat every",
        "numbers_on_demand": "Show bars, and numbers on demand",
        "respondents_see_result": "Respondents see what was learned from their answers",
    }
)
_HELP = MappingProxyType(
    {
        "description": "What respondents read before the first question.",
        "designed": "Whether questions are about outcomes that are made up, which teach more.",
        "aim": "rule: learn the whole rule. best: find the best action. Or names of actions "
        "with commas between them, of which the best is looked for.",
        "sure": "With an aim: ask until the best action is known with this probability.",
        "check_every": "After how many questions an earlier one is put again, to see how "
        "consistent answers are; 0 for never, else 2 or more.",
    }
)


class TableForm(forms.Form):
    """A file of a table, and how it is to be read where that cannot be guessed."""

    file = forms.FileField(
        label="Table of actions",
        help_text="CSV, workbook (.xlsx), Parquet or Feather: a row for each action, a column for "
        "each stakeholder, utilities from 0 up.",
        widget=forms.ClearableFileInput(
            attrs={
                "accept": ".csv,.tsv,.txt,.tab,.xlsx,.xls,.parquet,.pq,.feather,.arrow,.ipc",
                "data-megabytes": MOST_BYTES >> 20,
            }
        ),
    )
    name = forms.CharField(label="Column of names", required=False, max_length=200)
    numbered = forms.BooleanField(label="Actions have no names: number them", required=False)
    stakeholders = forms.CharField(
        label="Columns of stakeholders", required=False, max_length=20_000,
        help_text="With commas between them; all columns of numbers if left out.",
    )  # fmt: skip
    ignore = forms.CharField(label="Columns to leave out", required=False, max_length=20_000)
    sheet = forms.CharField(label="Sheet", required=False, max_length=200)
    separator = forms.CharField(label="Separator", required=False, max_length=10, strip=False)
    decimal = forms.ChoiceField(
        label="Decimal mark", required=False, choices=(("", "as found"), (".", "."), (",", ","))
    )
    encoding = forms.CharField(label="Encoding", required=False, max_length=40)
    drop_missing = forms.BooleanField(label="Leave out incomplete rows", required=False)
    shift = forms.FloatField(
        label="Add to every utility", required=False, min_value=0.0, max_value=1e12,
        help_text="Where some are negative: rules need utilities from 0 up, and depend on where 0 "
        "is. Respondents see the sums.",
    )  # fmt: skip

    def options(self) -> TableOptions:
        """How the table is to be read."""
        told = {key: value for key, value in self.cleaned_data.items() if value}
        return TableOptions(**{k: v for k, v in told.items() if k in TableOptions.__annotations__})

    def rare(self) -> list[forms.BoundField]:
        """The fields that hardly anybody needs."""
        return [field for field in self if field.name not in ("file", "title")]


class NewForm(TableForm):
    """A study from a file."""

    title = forms.CharField(
        label="Title", required=False, max_length=200,
        help_text="What respondents read first; the name of the file if left out.",
    )  # fmt: skip
    field_order = ("title", "file")


class WorldForm(forms.Form):
    """A study of a simulated world."""

    title = forms.CharField(label="Title", max_length=200, initial="A simulated world")
    people = forms.IntegerField(
        label="Stakeholders", min_value=2, max_value=worlds.MOST_PEOPLE, initial=4
    )
    actions = forms.IntegerField(
        label="Actions", min_value=2, max_value=worlds.MOST_ACTIONS, initial=30
    )
    seed = forms.IntegerField(
        label="Seed", min_value=0, max_value=2**31 - 1, initial=0,
        help_text="The same number makes the same world.",
    )  # fmt: skip


if TYPE_CHECKING:  # it says of which model for whoever checks types, and there alone
    _OfStudy = forms.ModelForm[Study]
else:
    _OfStudy = forms.ModelForm


class SettingsForm(_OfStudy):
    """What people are told, and how they are asked."""

    class Meta:
        """What each field is called, and what it means."""

        model = Study
        fields = (
            "title", "description", "most", "designed", "aim", "sure", "check_every",
            "numbers_on_demand", "respondents_see_result",
        )  # fmt: skip
        labels = _LABELS
        help_texts = _HELP
        widgets = MappingProxyType({"description": _AREA, "aim": forms.TextInput})

    def __init__(self, *args: Any, frozen: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        designed: Any = self.fields["designed"]
        designed.choices = [
            (Designed.NO, "no, actions of the table only"),
            (Designed.TOO, "too, besides actions of the table"),
            (Designed.ONLY, "only made-up outcomes"),
        ]
        # What the model allows is more than a page should: nobody answers so many.
        self.fields["most"].widget.attrs |= {"min": 1, "max": 500}
        self.fields["sure"].widget.attrs |= {"min": 0.5, "max": 1, "step": "any"}
        self.fields["check_every"].widget.attrs |= {"min": 0, "max": 100}
        for name in ASKED:
            self.fields[name].disabled = frozen

    def clean_check_every(self) -> int:
        """Refuse to repeat every question."""
        value: int = self.cleaned_data["check_every"]
        if value == 1:
            raise forms.ValidationError("Write 0 for never, or 2 or more.")
        return value

    def clean_sure(self) -> float:
        """Require a probability."""
        value: float = self.cleaned_data["sure"]
        if not 0 < value <= 1:
            raise forms.ValidationError("Write a probability above 0, up to 1.")
        return value

    def clean_most(self) -> int:
        """Require a number that somebody may answer."""
        value: int = self.cleaned_data["most"]
        if not 1 <= value <= 500:
            raise forms.ValidationError("Write a number from 1 to 500.")
        return value

    def _post_clean(self) -> None:
        """Leave the study as it is: what was written goes to those who may change it."""


class InviteForm(forms.Form):
    """Links for people by name, or one for everybody who has it."""

    kind = forms.ChoiceField(
        label="Who is invited",
        choices=(
            (Invite.Kind.PERSONAL, "people by name: a link for each"),
            (Invite.Kind.OPEN, "everybody who has the link, and says who they are"),
        ),
        widget=forms.RadioSelect, initial=Invite.Kind.PERSONAL,
    )  # fmt: skip
    names = forms.CharField(
        label="Names, one on each line", required=False, max_length=50_000, widget=_AREA,
        help_text="Of an open link: what you call it, if anything.",
    )  # fmt: skip
    expires = forms.ChoiceField(label="The link expires", required=False, choices=_DAYS)

    def clean_names(self) -> list[str]:
        """Every line that says something."""
        lines = [line.strip() for line in self.cleaned_data["names"].splitlines()]
        names = [line for line in lines if line]
        if len(names) > _MOST_NAMES:
            raise forms.ValidationError(f"Invite {_MOST_NAMES} people at a time; found more.")
        if any(len(name) > _LONGEST_NAME for name in names):
            raise forms.ValidationError(f"A name has {_LONGEST_NAME} letters at most.")
        return names

    def clean(self) -> dict[str, Any]:
        """Require names where each gets a link."""
        told = self.cleaned_data
        if told.get("kind") == Invite.Kind.PERSONAL and not told.get("names", [""]):
            self.add_error("names", "Write at least one name.")
        if told.get("kind") == Invite.Kind.OPEN and len(told.get("names", [])) > 1:
            self.add_error("names", "An open link is one: write one line, or none.")
        return told

    def expires_at(self) -> datetime | None:
        """When the links expire."""
        days = self.cleaned_data["expires"]
        return timezone.now() + timedelta(days=int(days)) if days else None
