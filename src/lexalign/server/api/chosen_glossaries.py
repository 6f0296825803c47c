"""The terms that a request brings, and the stored glossaries that it names."""

from typing import Annotated

from pydantic import BaseModel, Field

from lexalign.glossary import Glossary
from lexalign.server.api.entries import Entries, requested_terms
from lexalign.server.batching.thread_pools import size_of
from lexalign.server.http.services import Services

GlossaryId = Annotated[str, Field(max_length=64)]


class ChosenGlossaries(BaseModel):
    glossary: Entries | None = Field(None, description="Terms for this request.")
    glossary_id: GlossaryId | None = Field(None, description="The id of a stored glossary.")
    glossary_ids: list[GlossaryId] = Field(
        default_factory=list,
        max_length=10,
        description="Further ones. Terms of the request take precedence, then the glossaries in their order.",
    )

    async def read_glossaries(self, server: Services) -> tuple[Glossary, tuple[Glossary, ...]]:
        """The request's own terms, and the stored glossaries, in the order in which they come first."""
        size = size_of(0, num_texts=0, num_terms=len(self.glossary or ()))
        run = server.threads.read if self._ids else server.threads.run
        return await run(size, self._read, server)

    @property
    def _ids(self) -> list[str]:
        first = [] if self.glossary_id is None else [self.glossary_id]
        return list(dict.fromkeys([*first, *self.glossary_ids]))

    def _read(self, server: Services) -> tuple[Glossary, tuple[Glossary, ...]]:
        own = requested_terms(server, self.glossary)
        return own, tuple(server.glossaries.get(one) for one in self._ids)
